/** Wire 004, over the ordinary port. */
import { expect } from "vitest";
import { Speakers, unaddressed, USER, type Conversation } from "../../../test/wires/at-once/conversation.ts";
import type { Join } from "../../../test/wires/at-once/participant.ts";
import type { Shown } from "./fold-chat.ts";
import { reload, SmallClient, type Door } from "./small-client.ts";

export const join: Join = async ({ sessionId, server: { url, token } }) => {
  const door: Door = { url, headers: { authorization: `Bearer ${token}` } };
  const client = await SmallClient.open(door, [sessionId]);
  const send = (text: string) => client.say({ type: "text_input", sessionId, text });
  return {
    send,
    async queue(text) {
      send(text);
      await client.sees({ type: "message_queued", position: 1 });
    },
    async seesQuestion() {
      await client.seesChat({ type: "custom_message", payload: { label: "question" } });
    },
    stop: () => client.say({ type: "control", action: "cancel", target: "output", sessionId }),
    views: async () => [ofShown(client.shown()), ofShown(await reload(door, sessionId))],
    async expectEndings(stopped, failed) {
      for (const shown of [client.shown(), await reload(door, sessionId)]) {
        const turns = [...shown.turns.values()];
        const cancelled = turns.filter(({ interrupt }) => interrupt === "user_cancel");
        const errors = turns.filter(({ error }) => error !== undefined);
        expect([cancelled.length, errors.length]).toEqual([stopped, failed]);
        const states = [...shown.tools.values()].map(({ state }) => state);
        expect(states).toEqual(["success", "error", "success", "interrupted"]);
        expect(turns.filter(({ isEnded }) => !isEnded)).toEqual([]);
      }
    },
    close: () => client.close(),
  };
};

/** Turns with their speakers. */
function ofShown({ turns }: Shown): Conversation {
  const speakers = new Speakers();
  for (const { users, speaker = "", parts } of turns.values()) {
    for (const text of users) speakers.emit(USER, unaddressed(text));
    for (const part of parts) {
      if ("text" in part) speakers.emit(speaker, part.text);
      else {
        const { state } = part.tool;
        speakers.use(
          speaker,
          part.tool.name,
          state === "success" ? "done" : state === "pending" ? "running" : "failed",
        );
      }
    }
  }
  return speakers.all();
}
