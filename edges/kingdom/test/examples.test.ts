/** The example in this edge's docs: a thread while a member is still writing, and one of its messages byte by byte. */
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/kit/clock.ts";
import { openMirrored, newProject } from "./alone/mirrored-session.ts";
import { createScriptedAgents, type Step } from "../../../test/session/scripted-agent.ts";
import { examplesOf } from "../../../test/wires/play-example.ts";
import { patient } from "../../../test/patience.ts";

/** Codex streams complete texts only. */
const call: Step = { type: "tool_call_start", nativeId: "look", name: "read", args: {} };

test("the thread in the docs is what a session writes", async () => {
  const [[directory = "", ...files] = [], message = []] = examplesOf("kingdom", "000");
  const text = message.slice(message.lastIndexOf("---") + 2).join("\n");
  const project = newProject();
  const { factory } = createScriptedAgents(systemClock, {
    claude: { script: () => [{ type: "text_delta", text }] },
    codex: { script: () => [{ type: "text_delta", text: "I look." }, call, { hang: true }] },
  });
  const members = ["claude", "codex"].map((name) => ({ name, kind: "embedded" as const }));
  const table = await openMirrored({ project, members, factory });
  try {
    const dir = await table.dir();
    const name = /council-[0-9a-f]{4}\/?$/;
    expect(dir.replace(name, "")).toBe(join(project, directory).replace(name, ""));
    await table.send("Keep it?");
    await table.sees("two messages", () => table.of("mirrored").length === 2);
    const named = files.map((line) => line.trim().split(/\s+/)[0] ?? "");
    await expect.poll(() => readdirSync(dir).toSorted(), { timeout: patient(20_000) }).toEqual(named.toSorted());
    const time = /^timestamp: .*$/m;
    const written = readFileSync(join(dir, "0002-claude.md"), "utf8");
    expect(written.replace(time, "")).toBe(`${message.join("\n")}\n`.replace(time, ""));
  } finally {
    await table.close();
    rmSync(project, { recursive: true, force: true });
  }
});
