import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import * as sessionFiles from "./builder/session-files.ts";
import { READ_LIMITS, readLines, type ReadLimits } from "./read-lines.ts";

function fileWith(bytes: string | Uint8Array, name = "x.jsonl"): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "rt-lines-")), name);
  writeFileSync(file, bytes);
  return file;
}

async function read(bytes: string | Uint8Array, limits: Partial<ReadLimits> = {}, name = "x.jsonl") {
  const file = fileWith(bytes, name);
  const { lines, damaged } = await readLines({
    path: file,
    name,
    select: (value) => (value === "no" ? undefined : value === "odd" ? sessionFiles.DAMAGED : value),
    limits: { ...READ_LIMITS, ...limits },
  });
  return { lines: lines.map(({ number, value }) => [number, value]), damaged };
}

describe("lines of external files", () => {
  test("an unreadable line is reported with its number and beginning, and the next one is read", async () => {
    expect(await read('{"a":1}\n\n{"b":\n"no"\n3\n"odd"\n{"half')).toEqual({
      lines: [
        [1, { a: 1 }],
        [5, 3],
      ],
      damaged: [
        { number: 3, what: 'is damaged and is not shown: "{\\"b\\":"' },
        { number: 6, what: 'is not in the format of its program and is not shown: "\\"odd\\""' },
        { number: 7, what: 'is not finished and is not shown: "{\\"half"' },
      ],
    });
  });

  test("every reached limit is reported, and earlier lines stay", async () => {
    const rows = '"one"\n"two"\n"three"\n';
    expect(await read(rows, { lineBytes: 5 })).toEqual({
      lines: [
        [1, "one"],
        [2, "two"],
      ],
      damaged: [{ number: 3, what: "is too long (7 bytes) and is not shown" }],
    });
    const [one, two] = [
      [1, "one"],
      [2, "two"],
    ];
    const leftOut = (number: number, why: string) => ({ number, what: `and all after it are left out: ${why}` });
    expect(await read(rows, { lines: 2 })).toEqual({
      lines: [one, two],
      damaged: [leftOut(3, "the file has too many lines")],
    });
    expect(await read(rows, { storedBytes: 5 })).toEqual({
      lines: [one],
      damaged: [leftOut(2, "the conversation exceeds the size limit")],
    });
    expect((await read(rows, { fileBytes: 6 })).damaged).toEqual([leftOut(3, "the file exceeds the size limit")]);
    expect((await read("x\ny\nz\n", { damaged: 1 })).damaged.map(({ what }) => what)).toEqual([
      'is damaged and is not shown: "x"',
      "is the last of 2 more that cannot be read",
    ]);
  });

  test("a truncated compressed file is read up to its end", async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `"row ${at} ${Math.sin(at)}"\n`).join("");
    const bytes = zstdCompressSync(Buffer.from(rows));
    expect((await read(bytes, {}, "x.jsonl.zst")).lines.length).toBe(20_000);
    const cut = await read(bytes.subarray(0, Math.floor(bytes.length / 2)), {}, "x.jsonl.zst");
    expect(cut.lines.length).toBeGreaterThan(100);
    expect(cut.damaged).not.toEqual([]);
    await expect(read("no zstd at all", {}, "x.jsonl.zst")).rejects.toThrow();
  });

  test("a value of any depth is read or reported, and never stops the import", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const { lines, damaged } = await read(`${deep}\n"after"\n`);
    expect(lines.length + damaged.length).toBe(2);
    expect(lines.at(-1)).toEqual([2, "after"]);
  });
});
