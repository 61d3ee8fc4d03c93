/** Wire 003 as `roundtable rpc` speaks it, with every command of a screen. */
import { expect } from "vitest";
import { connect } from "../../../test/host/open-host.ts";
import { Speakers, unaddressed, USER, type Conversation } from "../../../test/wires/at-once/conversation.ts";
import { count, type Join } from "../../../test/wires/at-once/participant.ts";
import type { ReadSession } from "./line-reader.ts";
import { startPeer } from "./open-peer.ts";

export const join: Join = async ({ sessionId, dataDir, host, template }) => {
  const client = await connect(host);
  const { hearer, peer } = await startPeer({ client, dataDir, template }, `${sessionId}.jsonl`);
  const write = (line: object) => peer.handleLine(JSON.stringify(line));
  let overlay: unknown;
  return {
    send: (text) => write({ type: "prompt", text }),
    async seesQuestion() {
      overlay = (await hearer.next("ui_request")).id;
    },
    async seesAnswered() {
      expect(await hearer.next("ui_cancel")).toMatchObject({ id: overlay, reason: "answered_elsewhere" });
    },
    async allow() {
      const { id } = await hearer.next("ui_request");
      write({ type: "ui_response", id, result: "allow", error: null });
    },
    stop: () => write({ type: "abort" }),
    views: async () => [ofRead(hearer.session())],
    async expectEndings(stopped, failed) {
      const { faults, messages } = hearer.session();
      expect([hearer.wrong, faults]).toEqual([[], []]);
      const reasons = messages.flatMap((one) => (one.role === "assistant" ? [one.stop_reason ?? ""] : []));
      expect([count(reasons, "aborted"), count(reasons, "error")]).toEqual([stopped, failed]);
    },
    async close() {
      peer.end("quit");
      await peer.over;
      client.close();
    },
  };
};

/** Messages, each under its member's name. */
function ofRead({ messages }: ReadSession): Conversation {
  const speakers = new Speakers();
  const results = new Map(
    messages.flatMap((one) => (one.role === "tool_result" ? [[one.tool_call_id, one.is_error] as const] : [])),
  );
  for (const message of messages) {
    if (message.role === "user" && typeof message.content === "string") {
      speakers.emit(USER, unaddressed(message.content));
    }
    if (message.role !== "assistant") continue;
    const who = message.provider;
    for (const block of message.content) {
      if (block.type === "text" && block.text !== `**${who}**\n\n`) speakers.emit(who, block.text);
      if (block.type !== "tool_call") continue;
      const isError = results.get(block.id);
      speakers.use(who, block.name, isError === undefined ? "running" : isError ? "failed" : "done");
    }
  }
  return speakers.all();
}
