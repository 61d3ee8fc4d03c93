/** The example in this edge's docs, replayed as raw lines against the agent. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examplesOf, filled, fits, type Names } from "../../../test/wires/play-example.ts";
import { openAgent } from "./open-agent.ts";

test("the ACP conversation in the docs is what happens", async () => {
  const [lines = []] = examplesOf("acp-agent", "acp");
  expect(lines.length).toBeGreaterThan(8);
  const cwd = mkdtempSync(join(tmpdir(), "rt-acp-"));
  const agent = await openAgent(cwd);
  const names: Names = new Map([["PROJECT", cwd]]);
  let at = 0;
  try {
    for (const line of lines) {
      const said = filled(line.slice(2), names);
      if (line.startsWith("> ")) await agent.write(`${said}\n`);
      else at = (await agent.sees((frame) => fits(JSON.parse(said), frame, names), at)) + 1;
    }
  } finally {
    await agent.close();
    rmSync(cwd, { recursive: true, force: true });
  }
});
