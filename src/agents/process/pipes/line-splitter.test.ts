import { describe, expect, test } from "vitest";
import { EDGE_BYTES } from "../../../kit/io/json-lines.ts";
import { createLineSplitter, type Line } from "./output-pump.ts";

const TEXT = "plain\nß€😀\r\n\n\u2028 inside\r\r\nlast \u0000 one";

function split(bytes: Buffer, sizes: () => number, lineBytesMax = 1_000): Line[] {
  const lines: Line[] = [];
  const splitter = createLineSplitter({ lineBytesMax, onLine: (line) => lines.push(line) });
  for (let at = 0; at < bytes.length;) {
    const size = sizes();
    splitter.push(bytes.subarray(at, at + size));
    at += size;
  }
  splitter.end();
  return lines;
}

describe("lines", () => {
  const whole = split(Buffer.from(TEXT), () => 1_000);

  test("lines end with \\n only; one \\r before it is dropped; the rest without a newline is unfinished", () => {
    expect(whole).toEqual([
      { kind: "line", text: "plain", bytes: 5 },
      { kind: "line", text: "ß€😀", bytes: 10 },
      { kind: "line", text: "", bytes: 0 },
      { kind: "line", text: "\u2028 inside\r", bytes: 12 },
      { kind: "unfinished", text: "last \u0000 one", bytes: 10 },
    ]);
  });

  test("the same lines are read however the chunks are split", () => {
    const bytes = Buffer.from(TEXT);
    for (let size = 1; size < bytes.length; size++) expect(split(bytes, () => size)).toEqual(whole);
    for (let cut = 1; cut < bytes.length; cut++) {
      let isFirst = true;
      const sizes = (): number => (isFirst ? ((isFirst = false), cut) : 1_000);
      expect(split(bytes, sizes)).toEqual(whole);
    }
  });

  test("only bad bytes become U+FFFD, also when the chunks are single bytes", () => {
    const bytes = Buffer.concat([Buffer.from("a"), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from("b\n€\n")]);
    const expected = [
      { kind: "line", text: "a\ufffd\ufffdb", bytes: 5 },
      { kind: "line", text: "€", bytes: 3 },
    ];
    expect(split(bytes, () => 1)).toEqual(expected);
    expect(split(bytes, () => 100)).toEqual(expected);
  });

  test("a byte order mark is dropped only at the start", () => {
    expect(split(Buffer.from("\ufeffone\n\ufefftwo\n"), () => 3)).toMatchObject([
      { text: "one" },
      { text: "\ufefftwo" },
    ]);
  });

  test("a line at the limit is read, a longer one is reported with its start, and reading continues", () => {
    const bytes = Buffer.from(`${"a".repeat(1_000)}\n${"é".repeat(501)}\nnext\n${"z".repeat(1_001)}`);
    for (const size of [1, 7, 64, 5_000]) {
      expect(split(bytes, () => size)).toEqual([
        { kind: "line", text: "a".repeat(1_000), bytes: 1_000 },
        { kind: "oversize", bytes: 1_002, head: "é".repeat(EDGE_BYTES / 2) },
        { kind: "line", text: "next", bytes: 4 },
        { kind: "oversize", bytes: 1_001, head: "z".repeat(EDGE_BYTES) },
      ]);
    }
  });

  test("a long line in tiny chunks takes little memory", () => {
    const lines: Line[] = [];
    const splitter = createLineSplitter({ lineBytesMax: 4 * 1024 * 1024, onLine: (line) => lines.push(line) });
    const before = process.memoryUsage().heapUsed;
    const bit = Buffer.from("ab");
    for (let count = 0; count < 1_000_000; count++) splitter.push(bit);
    const grownBytes = process.memoryUsage().heapUsed - before;
    splitter.push(Buffer.from("\n"));
    expect(lines).toMatchObject([{ kind: "line", bytes: 2_000_000 }]);
    expect(grownBytes).toBeLessThan(50 * 1024 * 1024);
  });
});
