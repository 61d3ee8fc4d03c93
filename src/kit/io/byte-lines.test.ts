import { expect, test } from "vitest";
import { createByteLines, EDGE_BYTES } from "./byte-lines.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function collect(lineBytesMax: number) {
  const heard: unknown[] = [];
  const lines = createByteLines({
    lineBytesMax,
    onLine: (line, isEnded) => heard.push(isEnded ? text(line) : { unfinished: text(line) }),
    onTooLong: ({ bytes, head, tail }) => heard.push({ bytes, head: text(head), tail: text(tail) }),
  });
  return { lines, heard };
}

/** A small generator with a seed, so that a failure can be had again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("lines come out the same however their bytes are cut, and one that is too long with its beginning and its end", () => {
  const seed = Date.now() % 2 ** 32;
  const random = createRandom(seed);
  for (let round = 0; round < 60; round += 1) {
    const max = 1 + random(3 * EDGE_BYTES);
    const whole = Array.from({ length: 1 + random(6) }, () =>
      Array.from({ length: random(2 * max) }, () => "abcdefgh".charAt(random(8))).join(""),
    );
    const bytes = new TextEncoder().encode(whole.join("\n"));
    const { lines, heard } = collect(max);
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

test("a line of any length costs no more memory than twice the longest allowed one", () => {
  const max = 1024 * 1024;
  const chunk = new Uint8Array(64 * 1024).fill(0x78);
  const { lines, heard } = collect(max);
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < 4_000; at += 1) lines.push(chunk);
  // 250 MiB went in. What was thrown away meanwhile counts here too, so this is what could ever have been held.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * max);
  lines.push(Uint8Array.of(0x0a, 0x79, 0x0a));
  const edge = "x".repeat(EDGE_BYTES);
  expect(heard).toEqual([{ bytes: 4_000 * chunk.length, head: edge, tail: edge }, "y"]);
});
