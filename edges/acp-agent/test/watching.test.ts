/** An editor that only watches: closing a request without a decision leaves other clients' requests open. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ndJsonStream, type RequestPermissionOutcome } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { createHost } from "../../../src/host/index.ts";
import { connect, listen, until } from "../../../test/host/open-host.ts";
import { createScriptedMembers } from "../../../test/wires/scripted-member.ts";
import { wireSession } from "../../../test/wires/wire-session.ts";
import { EditorScreen } from "./editor-screen.ts";
import { startAgent } from "./open-agent.ts";

test("a permission that an editor cancels stays open when another client started the turn, and is denied when the editor did", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "rt-acp-"));
  const host = await createHost({ dataDir: join(cwd, "data"), agentFactory: createScriptedMembers, version: "0" });
  const [own, forEditor] = [await connect(host), await connect(host)];
  const table = wireSession(cwd, ["ling"]);
  const { sessionId } = await own.create(table);
  const { events } = await listen(own, sessionId);
  const { input, output, leave } = startAgent(forEditor, table);
  const outcome: RequestPermissionOutcome = { outcome: "cancelled" };
  const editor = new EditorScreen(ndJsonStream(input, output), { onPermission: () => outcome });
  try {
    await editor.initialize();
    await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    await own.command(sessionId, { type: "send", text: "approve", clientMessageId: "one" });
    await editor.until("the permission", () => editor.permissions.length === 1);
    // The agent replies after it has handled the outcome.
    await editor.agent.request("session/list", { cwd });
    const asked = events.find((event) => event.type === "ui_request");
    const answer = { type: "answer" as const, requestId: asked?.requestId ?? "", result: "allow" };
    expect(await own.command(sessionId, answer)).toMatchObject({ ok: true });
    await until("the end", () => events.some((event) => event.type === "turn_end"));
    await editor.prompt(sessionId, "approve");
    const answers = events.flatMap((event) => (event.type === "ui_response" ? [event.result] : []));
    expect(answers).toEqual(["allow", false]);
  } finally {
    await leave();
    for (const client of [own, forEditor]) client.close();
    await host.close();
    rmSync(cwd, { recursive: true, force: true });
  }
});
