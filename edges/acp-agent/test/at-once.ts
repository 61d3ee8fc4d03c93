/** ACP as `roundtable acp` speaks it. The editor has no forms and never answers a permission request. */
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { expect } from "vitest";
import { connect } from "../../../test/host/open-host.ts";
import { Speakers, unaddressed, USER, without, type Conversation } from "../../../test/wires/at-once/conversation.ts";
import type { Join } from "../../../test/wires/at-once/participant.ts";
import { EditorScreen } from "./editor-screen.ts";
import { startAgent } from "./open-agent.ts";

export const join: Join = async ({ sessionId, cwd, host, template }) => {
  const client = await connect(host);
  const { input, output, leave } = startAgent(client, template);
  const never = new Promise<never>(() => {});
  const editor = new EditorScreen(ndJsonStream(input, output), { onPermission: () => never });
  await editor.initialize();
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  const prompts: Promise<unknown>[] = [];
  const sent = new Set<string>();
  return {
    send(text) {
      sent.add(unaddressed(text));
      prompts.push(editor.prompt(sessionId, text));
    },
    views: async () => [ofEditor(editor)],
    // The editor shows its own user's messages itself.
    expressible: (whole) => without(whole, (item) => "text" in item && sent.has(item.text)),
    async expectEndings(_stopped, failed) {
      expect(editor.text().match(/^> ling failed: the model is gone$/gm)).toHaveLength(failed);
      for (const result of await Promise.all(prompts)) {
        expect(["end_turn", "cancelled"]).toContain((result as { stopReason: string }).stopReason);
      }
    },
    async close() {
      await leave();
      client.close();
    },
  };
};

/** Passages start with a name, titles of calls name the member; messages of the session itself are quoted. */
function ofEditor(editor: EditorScreen): Conversation {
  const speakers = new Speakers();
  const calls = editor.calls();
  let speaker = "";
  for (const update of editor.updates) {
    if (update.sessionUpdate === "user_message_chunk" && update.content.type === "text") {
      speakers.emit(USER, unaddressed(update.content.text));
    }
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      for (const piece of update.content.text.split(/(?=\*\*(?:\w+)\*\*\n\n)/)) {
        const [heading = "", name] = /^\*\*(\w+)\*\*\n\n/.exec(piece) ?? [];
        speaker = name ?? speaker;
        if (name !== undefined) speakers.emit(speaker, "");
        speakers.add(speaker, piece.slice(heading.length).replaceAll(/^> .*$/gm, ""));
      }
    }
    if (update.sessionUpdate !== "tool_call") continue;
    const { status, title = "" } = calls.get(update.toolCallId) ?? {};
    const [who = "", tool = ""] = title.split(": ");
    // A report, which ACP has no other form for.
    if (tool === "Changed files") continue;
    speakers.use(who, tool, status === "completed" ? "done" : status === "failed" ? "failed" : "running");
  }
  return speakers.all();
}
