/** Wire 000: a thread beside the session. */
import { join as joinPath } from "node:path";
import { expect } from "vitest";
import { until } from "../../../test/host/open-host.ts";
import { Speakers, unaddressed, USER, without, type Conversation } from "../../../test/wires/at-once/conversation.ts";
import type { Join } from "../../../test/wires/at-once/participant.ts";
import { writeAsKingdom } from "./alone/kingdom-writer.ts";
import { readThread, type ReadThread } from "./alone/thread-reader.ts";

export const join: Join = async ({ of }) => {
  const chosen = () => of("settings_changed").findLast((event) => event.settings.mirror?.thread !== undefined);
  await until("the thread", () => chosen() !== undefined);
  const { kd = "", branch = "", thread = "" } = chosen()?.settings.mirror ?? {};
  const directory = joinPath(kd, "branches", branch, "threads", thread);
  return {
    async write(to, text) {
      const messages = of("user_message").length + of("turn_end").length;
      await until("the thread to have it all", () => of("mirrored").length === messages);
      writeAsKingdom(directory, "king", to, text);
    },
    views: async () => [ofThread(readThread(directory))],
    expressible: (whole) => without(whole, (item) => "tool" in item),
    async expectEndings(stopped, failed) {
      const bodies = readThread(directory).messages.map(({ body }) => body);
      const marked = (mark: string) => bodies.filter((body) => body.includes(mark)).length;
      expect([marked("*Interrupted*") + marked("*[Interrupted"), marked("*Error: ")]).toEqual([stopped, failed]);
    },
    close() {},
  };
};

/** Whole turns; how one ended is a mark in its text. */
function ofThread({ messages }: ReadThread): Conversation {
  const speakers = new Speakers();
  const marks = /\*(?:\[Interrupted[^\]]*\]|Interrupted|Error: [^\n]*)\*/g;
  for (const { from, body } of messages) {
    if (from === "king") speakers.emit(USER, unaddressed(body));
    else speakers.emit(from, body.replace(marks, ""));
  }
  return speakers.all();
}
