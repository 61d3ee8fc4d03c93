import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { createHost } from "../../../src/host/index.ts";
import { connect } from "../../../test/host/open-host.ts";
import { createScriptedMembers } from "../../../test/wires/scripted-member.ts";
import { wireSession } from "../../../test/wires/wire-session.ts";
import { EditorScreen } from "./editor-screen.ts";
import { startAgent } from "./open-agent.ts";

test("an answer that the model's output limit cut off ends its prompt with max_tokens, any other with end_turn", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "rt-acp-"));
  const host = await createHost({ dataDir: join(cwd, "data"), agentFactory: createScriptedMembers, version: "0" });
  const client = await connect(host);
  const { input, output, leave } = startAgent(client, wireSession(cwd, ["ling"]));
  const editor = new EditorScreen(ndJsonStream(input, output));
  try {
    await editor.initialize();
    const { sessionId } = await editor.open(cwd);
    const reasons = [];
    for (const text of ["cut-off", "say hello", "fail"])
      reasons.push((await editor.prompt(sessionId, text)).stopReason);
    expect(reasons).toStrictEqual(["max_tokens", "end_turn", "end_turn"]);
  } finally {
    await leave();
    client.close();
    await host.close();
    rmSync(cwd, { recursive: true, force: true });
  }
});
