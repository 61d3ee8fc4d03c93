import { describe, expect, test } from "vitest";
import { createJsonLineReader, toJsonLine, type BadLine, createByteLines, EDGE_BYTES } from "./json-lines.ts";

function collect(lineBytesMax?: number) {
  const heard: unknown[] = [];
  const reader = createJsonLineReader({
    onValue: (value) => heard.push(value),
    onBad: (bad: BadLine) => heard.push({ bad }),
    ...(lineBytesMax === undefined ? {} : { lineBytesMax }),
  });
  return { reader, heard };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe("json lines", () => {
  test("values are complete and in order however the chunks are split", () => {
    const values = [
      { text: "naïve café" },
      { text: "日本語" },
      { text: "👩‍👩‍👧 family" },
      42,
      "plain",
      null,
      { nested: ["\n", "\r\n"] },
    ];
    const stream = bytes(values.map(toJsonLine).join(""));
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const { reader, heard } = collect();
      reader.push(stream.subarray(0, cut));
      reader.push(stream.subarray(cut));
      reader.end();
      expect(heard).toEqual(values);
    }
    const { reader, heard } = collect();
    for (const byte of stream) reader.push(Uint8Array.of(byte));
    reader.end();
    expect(heard).toEqual(values);
  });

  test("a line that is not JSON is reported with its head and the next line is read", () => {
    const { reader, heard } = collect();
    reader.push(bytes(`{"a":1}\nnoise: ${"x".repeat(500)}\n\n  \r\n{"b":2}\r\n`));
    const head = `noise: ${"x".repeat(193)}`;
    expect(heard).toEqual([{ a: 1 }, { bad: { reason: "not_json", bytes: 507, head } }, { b: 2 }]);
  });

  test("a line at the limit is read; one byte more is reported once and not buffered", () => {
    const { reader, heard } = collect(1000);
    const exact = `"${"y".repeat(998)}"`;
    reader.push(bytes(`${exact}\n`));
    for (let part = 0; part < 100; part += 1) reader.push(bytes("z".repeat(999)));
    reader.push(bytes(`\n1\n${"w".repeat(1001)}\n2\n`));
    expect(heard).toEqual([
      "y".repeat(998),
      { bad: { reason: "too_long", bytes: 99_900, head: "z".repeat(200), tail: "z".repeat(200) } },
      1,
      { bad: { reason: "too_long", bytes: 1001, head: "w".repeat(200), tail: "w".repeat(200) } },
      2,
    ]);
  });

  test("an incomplete line at the end is reported as unfinished", () => {
    const { reader, heard } = collect();
    reader.push(bytes('{"a":1}\n{"b":'));
    reader.end();
    reader.end();
    expect(heard).toEqual([{ a: 1 }, { bad: { reason: "unfinished", bytes: 5, head: '{"b":' } }]);
  });

  test("invalid UTF-8 becomes U+FFFD inside its string, without other effects", () => {
    const { reader, heard } = collect();
    reader.push(Uint8Array.of(0x22, 0x61, 0xff, 0xe6, 0x97, 0x62, 0x22, 0x0a, 0x31, 0x0a));
    expect(heard).toEqual(["a\ufffd\ufffdb", 1]);
  });
});

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function collectLines(lineBytesMax: number) {
  const heard: unknown[] = [];
  const lines = createByteLines({
    lineBytesMax,
    onLine: (line, isEnded) => heard.push(isEnded ? text(line) : { unfinished: text(line) }),
    onTooLong: ({ bytes, head, tail }) => heard.push({ bytes, head: text(head), tail: text(tail) }),
  });
  return { lines, heard };
}

/** A seeded generator, so that failures can be reproduced. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("lines are the same wherever the chunks are cut; an overlong one is reported with its head and tail", () => {
  const seed = Date.now() % 2 ** 32;
  const random = createRandom(seed);
  for (let round = 0; round < 60; round += 1) {
    const max = 1 + random(3 * EDGE_BYTES);
    const whole = Array.from({ length: 1 + random(6) }, () =>
      Array.from({ length: random(2 * max) }, () => "abcdefgh".charAt(random(8))).join(""),
    );
    const bytes = new TextEncoder().encode(whole.join("\n"));
    const { lines, heard } = collectLines(max);
    for (let at = 0; at < bytes.length;) {
      const length = random(4) === 0 ? 1 : 1 + random(max);
      lines.push(bytes.subarray(at, at + length));
      at += length;
    }
    lines.end();
    const last = whole.pop() ?? "";
    const tooLong = (line: string) => ({
      bytes: line.length,
      head: line.slice(0, EDGE_BYTES),
      tail: line.slice(-EDGE_BYTES),
    });
    const wanted: unknown[] = whole.map((line) => (line.length > max ? tooLong(line) : line));
    if (last !== "") wanted.push(last.length > max ? tooLong(last) : { unfinished: last });
    expect(heard, `seed ${seed}, round ${round}`).toEqual(wanted);
  }
});

test("a line of any length takes at most twice the memory of the longest allowed one", () => {
  const max = 1024 * 1024;
  const chunk = new Uint8Array(64 * 1024).fill(0x78);
  const { lines, heard } = collectLines(max);
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < 4_000; at += 1) lines.push(chunk);
  // 250 MiB went in. Garbage counts here too, so this is an upper bound.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * max);
  lines.push(Uint8Array.of(0x0a, 0x79, 0x0a));
  const edge = "x".repeat(EDGE_BYTES);
  expect(heard).toEqual([{ bytes: 4_000 * chunk.length, head: edge, tail: edge }, "y"]);
});
