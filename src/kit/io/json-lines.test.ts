import { describe, expect, test } from "vitest";
import { createJsonLineReader, toJsonLine, type BadLine } from "./json-lines.ts";

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
  test("values come out whole and in order however the bytes are cut", () => {
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

  test("a line of exactly the limit is read, one byte more is reported once and costs no memory", () => {
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

  test("a half line at the end is reported as unfinished", () => {
    const { reader, heard } = collect();
    reader.push(bytes('{"a":1}\n{"b":'));
    reader.end();
    reader.end();
    expect(heard).toEqual([{ a: 1 }, { bad: { reason: "unfinished", bytes: 5, head: '{"b":' } }]);
  });

  test("bad UTF-8 becomes U+FFFD inside its string and harms nothing else", () => {
    const { reader, heard } = collect();
    reader.push(Uint8Array.of(0x22, 0x61, 0xff, 0xe6, 0x97, 0x62, 0x22, 0x0a, 0x31, 0x0a));
    expect(heard).toEqual(["a\ufffd\ufffdb", 1]);
  });
});
