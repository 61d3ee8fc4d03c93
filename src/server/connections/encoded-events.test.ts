import { expect, test } from "vitest";
import type { SessionEvent } from "../../protocol/index.ts";
import { encodeMessage, encodeStream, formatEventId, parseEventId } from "./encoded-events.ts";

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

test("a batch is encoded once per transport and shared", () => {
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

test("the id of an event holds epoch and seq, and parses back to the same cursor", () => {
  for (const cursor of [
    { epoch: 1, seq: 1 },
    { epoch: 3, seq: 0 },
    { epoch: 987_654_321, seq: 999_999_999_999_999 },
  ]) {
    expect(parseEventId(formatEventId(cursor))).toEqual(cursor);
  }
  expect(formatEventId({ epoch: 2, seq: 17 })).toBe("2.17");
});

test("a bare seq is a cursor of any epoch, and nothing else is a cursor", () => {
  expect(parseEventId("17")).toEqual({ epoch: 0, seq: 17 });
  const wrong = ["", "-1", "1.-2", "1.2.3", "0.5", "01.5", " 1", "1 ", "1e3", "1.", ".1", "١", "9".repeat(16), "1.2\n"];
  expect(wrong.filter((text) => parseEventId(text) !== undefined)).toEqual([]);
});
