/** Torn tails, and damage in the middle of a log: always opens, never silent, the same at every read. */
import { describe, expect, test } from "vitest";
import { checkLog, openFileLog, openLogReader, type Damage } from "../../src/log/index.ts";
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";
import { created, delta, message, readAll } from "./drafts.ts";
import { createHandClock } from "./hand-clock.ts";
import { DATA, LOG_PATH, SESSION } from "./history.ts";
import { MemoryFiles } from "./memory-files.ts";
import { createRandom } from "./seeded-random.ts";
import { rounds } from "../rounds.ts";

interface Written {
  events: readonly SessionEvent[];
  lines: Buffer[];
}

async function write(count: number): Promise<Written> {
  const files = new MemoryFiles();
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files });
  const drafts = Array.from({ length: count }, (_, i) =>
    i === 0 ? created() : i % 2 === 0 ? delta(`ü${i}`) : message(`${i}`),
  );
  const { events, committed } = log.append(drafts);
  await committed;
  await log.close();
  const bytes = files.contentOf(LOG_PATH) ?? Buffer.alloc(0);
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0x0a, at) + 1;
    lines.push(bytes.subarray(at, end));
    at = end;
  }
  return { events, lines };
}

function filesWith(content: Buffer): MemoryFiles {
  const files = new MemoryFiles();
  files.mkdir(DATA);
  files.mkdir(`${DATA}/logs`);
  files.replaceContent(LOG_PATH, content);
  files.trace.length = 0;
  return files;
}

/** Seqs as read; a damage as "from-to". */
function outline(events: readonly SessionEvent[]): (number | string)[] {
  return events.map((event) => (event.type === "damage" ? `${event.fromSeq}-${event.toSeq}` : event.seq));
}

const target = (files: MemoryFiles) => ({ dataDir: DATA, sessionId: SESSION, files });

const GARBAGE_BYTES = rounds(2_000_000, 10_000_000);

describe("a torn tail", () => {
  test("[L27] cut anywhere in the last three records: opens, keeps whole records, saves the rest, continues", async () => {
    const { events, lines } = await write(6);
    const bytes = Buffer.concat(lines);
    const keptBytes = Buffer.concat(lines.slice(0, 3)).length;
    // At every byte in torture, at some otherwise; always where only a newline is missing.
    const [step, first] = [rounds(4, 1), Math.floor(Math.random() * 4)];
    for (let cut = keptBytes; cut < bytes.length; cut++) {
      if (cut % step !== first % step && bytes[cut] !== 0x0a) continue;
      const files = filesWith(Buffer.from(bytes.subarray(0, cut)));
      // A whole record that only lacks its newline gets it.
      const lacksNewline = bytes[cut] === 0x0a;
      const end = lacksNewline ? cut + 1 : bytes.subarray(0, cut).lastIndexOf(0x0a) + 1;
      const whole = events.slice(0, bytes.subarray(0, end).toString().split("\n").length - 1);
      const log = await openFileLog({ ...target(files), clock: createHandClock(0) });
      const torn = Math.max(0, cut - end);
      const tornFile = torn === 0 ? undefined : `${DATA}/logs/${SESSION}.torn-19700101T000000000Z`;
      expect(log.recovery).toEqual({ tornBytes: torn, tornFile, damages: [] });
      if (tornFile !== undefined) expect(files.contentOf(tornFile)).toEqual(bytes.subarray(end, cut));
      expect(await readAll(log)).toEqual(whole);
      const next = log.append([message("next")]);
      await next.committed;
      expect(next.events[0]).toMatchObject({ seq: whole.length + 1, epoch: 2 });
      await log.close();
      expect(await checkLog(target(files))).toMatchObject({ whole: true, records: whole.length + 1, tornBytes: 0 });
    }
  });

  test.each<[string, Buffer]>([
    ["NULs", Buffer.alloc(5000)],
    ["a line with a bad checksum", Buffer.from('{"seq":5,"epoch":1,"type":"x","crc":"00000000"}\n')],
    ["empty lines", Buffer.from("\n\n\n")],
    ["megabytes of garbage", garbage(GARBAGE_BYTES)],
    ["megabytes without a newline", garbage(GARBAGE_BYTES, { newlines: false })],
  ])("[L27] %s after the last record are saved aside and cut", async (_name, tail) => {
    const { events, lines } = await write(4);
    const files = filesWith(Buffer.concat([...lines, tail]));
    const reader = await openLogReader(target(files));
    expect(await readAll(reader)).toEqual(events);
    await reader.close();
    expect(files.trace.filter((line) => !/^(open|fstat|read|close) /.test(line))).toEqual([]);
    const log = await openFileLog(target(files));
    expect(log.recovery.tornBytes).toBe(tail.length);
    expect(files.contentOf(log.recovery.tornFile ?? "")?.equals(tail)).toBe(true);
    expect(await readAll(log)).toEqual(events);
    await log.close();
    expect((await checkLog(target(files))).whole).toBe(true);
  });

  test("[L27] a tail is not cut before its copy is on disk", async () => {
    const { lines } = await write(4);
    const files = filesWith(Buffer.concat([...lines, Buffer.from("half")]));
    files.fault = { at: 1, operations: ["write"], effect: { error: "ENOSPC" } };
    await expect(openFileLog(target(files))).rejects.toThrow("ENOSPC");
    expect(files.contentOf(LOG_PATH)?.toString().endsWith("half")).toBe(true);
  });
});

type Mutation = (lines: Buffer[]) => Buffer[];

const splice =
  (at: number, remove: number, ...insert: Buffer[]): Mutation =>
  (lines) =>
    lines.toSpliced(at, remove, ...insert);
const replace =
  (at: number, change: (line: Buffer) => Buffer): Mutation =>
  (lines) =>
    lines.map((line, i) => (i === at ? change(line) : line));

const corpus: [string, Mutation, (number | string)[], Partial<Damage>[]][] = [
  [
    "a block of NULs over a record",
    replace(3, (line) => Buffer.alloc(line.length)),
    [1, 2, 3, "4-4", 5, 6, 7, 8],
    [{ fromSeq: 4, toSeq: 4 }],
  ],
  [
    "NULs between records",
    splice(3, 0, Buffer.alloc(4096)),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [{ bytes: 4096, fromSeq: 4, toSeq: 3, what: "NUL bytes" }],
  ],
  ["a bit flip", replace(4, flip), [1, 2, 3, 4, "5-5", 6, 7, 8], [{ fromSeq: 5, toSeq: 5, what: "unreadable bytes" }]],
  [
    "a flipped newline",
    replace(4, (line) => Buffer.concat([line.subarray(0, -1), Buffer.from("J")])),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [{ bytes: 1 }],
  ],
  [
    "deleted lines",
    splice(2, 3),
    [1, 2, "3-5", 6, 7, 8],
    [{ bytes: 0, fromSeq: 3, toSeq: 5, what: "records are missing" }],
  ],
  [
    "the first line deleted",
    splice(0, 1),
    ["1-1", 2, 3, 4, 5, 6, 7, 8],
    [{ offset: 0, bytes: 0, fromSeq: 1, toSeq: 1 }],
  ],
  [
    "a duplicated line",
    (lines) => splice(3, 0, lines[2] ?? Buffer.alloc(0))(lines),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [{ what: "record 3 again" }],
  ],
  [
    "two lines swapped",
    (lines) => splice(2, 2, lines[3] ?? Buffer.alloc(0), lines[2] ?? Buffer.alloc(0))(lines),
    [1, 2, "3-3", 4, 5, 6, 7, 8],
    [{ fromSeq: 3, toSeq: 3 }, { what: "record 3 again" }],
  ],
  [
    "two objects on a line",
    replace(4, (line) => line.subarray(0, -1)),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [{ bytes: 0, what: "records run together on one line" }],
  ],
  [
    "half a line glued to the next",
    replace(4, (line) => line.subarray(0, 60)),
    [1, 2, 3, 4, "5-5", 6, 7, 8],
    [{ bytes: 60, fromSeq: 5, toSeq: 5 }],
  ],
  [
    "CRLF",
    replace(4, (line) => Buffer.concat([line.subarray(0, -1), Buffer.from("\r\n")])),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [{ what: "a carriage return" }],
  ],
  ["a BOM", splice(0, 0, Buffer.from("\ufeff")), [1, 2, 3, 4, 5, 6, 7, 8], [{ offset: 0, bytes: 3 }]],
  ["empty lines", splice(4, 0, Buffer.from("\n\n")), [1, 2, 3, 4, 5, 6, 7, 8], [{ bytes: 2, what: "an empty line" }]],
  [
    "megabytes of garbage",
    splice(4, 1, garbage(GARBAGE_BYTES)),
    [1, 2, 3, 4, "5-5", 6, 7, 8],
    [{ bytes: GARBAGE_BYTES, fromSeq: 5, toSeq: 5 }],
  ],
  [
    "megabytes without a newline",
    splice(4, 1, garbage(GARBAGE_BYTES, { newlines: false })),
    [1, 2, 3, 4, "5-5", 6, 7, 8],
    [{ bytes: GARBAGE_BYTES }],
  ],
  [
    "a foreign JSON line",
    splice(4, 0, Buffer.from('{"hello":"world"}\n')),
    [1, 2, 3, 4, 5, 6, 7, 8],
    [{ what: "unreadable bytes" }],
  ],
];

describe("damage in the middle", () => {
  test.each(corpus)(
    "[L4] %s: shown in its place, everything else readable, the same at every read",
    async (_name, mutate, seqs, damages) => {
      const { events, lines } = await write(8);
      const content = Buffer.concat(mutate(lines));
      const files = filesWith(content);
      const check = await checkLog(target(files));
      expect(check).toMatchObject({ whole: false, damages, damageCount: damages.length, tornBytes: 0, lastSeq: 8 });
      const reader = await openLogReader(target(files));
      const seen = await readAll(reader);
      await reader.close();
      expect(outline(seen)).toEqual(seqs);
      expect(seen.filter(({ type }) => type !== "damage")).toEqual(events.filter(({ seq }) => seqs.includes(seq)));
      const log = await openFileLog(target(files));
      expect(log.recovery).toEqual({ tornBytes: 0, tornFile: undefined, damages: check.damages });
      expect(files.contentOf(LOG_PATH)).toEqual(content);
      const next = log.append([message("next")]);
      await next.committed;
      for (let after = 0; after <= 9; after++) {
        expect(await readAll(log, after)).toEqual([...seen, ...next.events].filter(({ seq }) => seq > after));
      }
      await log.close();
    },
  );

  test("[L4] damage is found the same from the index as from the beginning, also over chunk borders", async () => {
    const { lines } = await write(3000);
    const random = createRandom(11);
    for (let i = 0; i < 40; i++) {
      const at = 1 + Math.floor(random() * 2998);
      lines[at] = flip(lines[at] ?? Buffer.alloc(0));
    }
    const files = filesWith(Buffer.concat(lines));
    const log = await openFileLog(target(files));
    const all = await readAll(log);
    expect(all.filter(({ type }) => type === "damage").length).toBeGreaterThan(30);
    for (let after = 0; after <= 3000; after += rounds(149, 1)) {
      expect(await readAll(log, after)).toEqual(all.filter(({ seq }) => seq > after));
    }
    await log.close();
  });

  test("[L4] random bytes overwritten anywhere: every record that was not touched is read", async () => {
    const { events, lines } = await write(40);
    const whole = Buffer.concat(lines);
    const starts = lines.map((_, at) => Buffer.concat(lines.slice(0, at)).length);
    for (let seed = 1; seed <= rounds(15, 2_000); seed++) {
      const random = createRandom(seed);
      const content = Buffer.from(whole);
      const touched = new Set<number>();
      for (let hit = 0; hit < 1 + random() * 6; hit++) {
        const from = Math.floor(random() * content.length);
        const to = Math.min(content.length, from + 1 + Math.floor(random() * 300));
        for (let at = from; at < to; at++) content[at] = Math.floor(random() * 256);
        for (const [at, start] of starts.entries()) {
          if (from < start + (lines[at]?.length ?? 0) && to > start) touched.add(at);
        }
      }
      const files = filesWith(content);
      const log = await openFileLog(target(files));
      const found = new Map((await readAll(log)).map((event) => [event.seq, event]));
      for (const [at, event] of events.entries()) {
        if (!touched.has(at)) expect({ seed, event: found.get(event.seq) }).toEqual({ seed, event });
      }
      await log.close();
    }
  });

  test("[L4] more damage than can be listed is counted", async () => {
    const { lines } = await write(2500);
    const content = Buffer.concat(lines.map((line, at) => (at % 2 === 1 && at < 2499 ? flip(line) : line)));
    const check = await checkLog(target(filesWith(content)));
    expect([check.damageCount, check.damages.length, check.damages.at(-1)?.what]).toEqual([
      1249,
      1000,
      "250 more damaged ranges",
    ]);
  });
});

describe("the format", () => {
  test("[L28] a log of another format is refused with a sentence, and nothing is changed", async () => {
    const { lines } = await write(3);
    const made = new MemoryFiles();
    const future = await openFileLog(target(made));
    await future.append([{ ...created(), format: 7 } as unknown as EventDraft]).committed;
    await future.close();
    const foreign = Buffer.from('{"type":"session_created","format":2,"other":"shape"}\n{"more":1}\n');
    for (const [content, format] of [
      [foreign, 2],
      [made.contentOf(LOG_PATH) ?? foreign, 7],
    ] as const) {
      const files = filesWith(content);
      for (const open of [openFileLog, openLogReader, checkLog]) {
        await expect(open(target(files))).rejects.toThrow(
          expect.objectContaining({
            code: "version_mismatch",
            message: expect.stringContaining(`format ${format}`) as string,
          }) as Error,
        );
      }
      expect(files.contentOf(LOG_PATH)).toEqual(content);
    }
    const flipped = Buffer.from((lines[0] ?? "").toString().replace('"format":1', '"format":7'));
    const damaged = await checkLog(target(filesWith(Buffer.concat([flipped, ...lines.slice(1)]))));
    expect(damaged).toMatchObject({ whole: false, lastSeq: 3 });
  });

  test("[L28] a missing session is unknown, and so is an invalid session id", async () => {
    const files = new MemoryFiles();
    const unknown = expect.objectContaining({ code: "unknown_session" }) as Error;
    await expect(openLogReader(target(files))).rejects.toThrow(unknown);
    await expect(checkLog({ dataDir: DATA, sessionId: "../x", files })).rejects.toThrow(unknown);
    await expect(openFileLog({ dataDir: DATA, sessionId: "../x", files })).rejects.toThrow(unknown);
    expect(files.paths()).toEqual(["/"]);
  });
});

function flip(line: Buffer): Buffer {
  const flipped = Buffer.from(line);
  flipped[40] = (flipped[40] ?? 0) ^ 4;
  return flipped;
}

/** Ends with a newline when it has any. */
function garbage(bytes: number, { newlines = true } = {}): Buffer {
  const random = createRandom(bytes);
  const block = Buffer.from(Array.from({ length: 100_000 }, () => Math.floor(random() * 256)));
  const result = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += block.length) block.copy(result, at);
  if (!newlines) for (let at = 0; at < bytes; at++) if (result[at] === 0x0a) result[at] = 0x0b;
  if (newlines) result[bytes - 1] = 0x0a;
  return result;
}
