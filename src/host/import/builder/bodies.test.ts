import { describe, expect, test } from "vitest";
import { EVENT_BYTES_MAX } from "../../../protocol/index.ts";
import { boundedArgs, splitText, shownResult } from "./bodies.ts";

const LONG = ["a".repeat(1_000_000), "\u0000".repeat(300_000), "😀".repeat(200_000), `x${"😀".repeat(100_000)}`];

describe("bodies of imported events", () => {
  test("a long text is split into chunks that fit into events, split no character, and join to the same text", () => {
    for (const text of LONG) {
      const chunks = splitText(text);
      expect(chunks.join("") === text).toBe(true);
      expect(chunks.every((chunk) => chunk.isWellFormed() && chunk !== "")).toBe(true);
      expect(Math.max(...chunks.map((chunk) => Buffer.byteLength(JSON.stringify(chunk))))).toBeLessThan(
        EVENT_BYTES_MAX,
      );
    }
    expect(splitText("short")).toEqual(["short"]);
  });

  test("arguments and results of any size fit into an event, with a note of the omitted size", () => {
    for (const text of LONG) {
      expect(Buffer.byteLength(JSON.stringify(boundedArgs({ text, list: [text, { text }] })))).toBeLessThan(
        EVENT_BYTES_MAX,
      );
      const shown = shownResult(text);
      expect(Buffer.byteLength(JSON.stringify(shown.text))).toBeLessThan(EVENT_BYTES_MAX);
      expect([shown.whole === text, shown.truncated?.totalBytes]).toEqual([true, Buffer.byteLength(text)]);
    }
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(JSON.stringify(boundedArgs(cycle))).toContain("nested too deeply to store");
    expect(boundedArgs({ a: undefined, b: Number.NaN, c: [null, true] })).toEqual({
      a: null,
      b: null,
      c: [null, true],
    });
  });
});
