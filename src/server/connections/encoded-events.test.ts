import { expect, test } from "vitest";
import type { SessionEvent } from "../../protocol/index.ts";
import { encodeMessage, encodeStream } from "./encoded-events.ts";

const events = ["plain", 'quotes " and \\', "ünï 🦉 漢", "two\nlines\r\n\r\n"].map((text, at): SessionEvent => ({
  seq: at + 7,
  epoch: 1,
  id: `e${at}`,
  ts: 1,
  sessionId: "s",
  type: "ui_status",
  key: "k",
  text,
}));

test("a lot is encoded once for each carrier, whoever asks, and says exactly what the events say", () => {
  const message = encodeMessage("s", events);
  expect(JSON.parse(message.toString())).toEqual({ frame: "events", sessionId: "s", events });
  expect(encodeMessage("s", events)).toBe(message);
  const stream = encodeStream(events);
  expect(encodeStream(events)).toBe(stream);
  const blocks = stream.toString().split("\n\n");
  expect(blocks.pop()).toBe("");
  const read = blocks.map((block) => /^id: 1\.(\d+)\ndata: (.*)$/.exec(block)?.slice(1) ?? []);
  expect(read.map(([id, data]) => [Number(id), JSON.parse(data ?? "null")])).toEqual(
    events.map((event) => [event.seq, event]),
  );
  expect(encodeMessage("s", [...events])).not.toBe(message);
});
