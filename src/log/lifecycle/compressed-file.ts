/**
 * Reads a compressed log like the plain file: the same bytes at the same offsets, with a few frames in memory. A frame
 * that cannot be decompressed reads as NUL bytes, so that its records are reported as damage and the rest opens.
 */

import { zstdDecompress } from "node:zlib";
import * as z from "zod";
import { RoundtableError } from "../../protocol/index.ts";
import type { FilePort, OpenFile } from "../files/file-port.ts";
import { readRange } from "../reader/scan.ts";

/** Reads move forward; a second reader may be elsewhere. */
const FRAMES_CACHED_MAX = 3;

export interface CompressedFile extends OpenFile {
  readonly facts: CompressedFacts;
}

/** Throws the system's error when it cannot be opened, `store_unavailable` when it is incomplete. */
export async function openCompressed(files: FilePort, path: string): Promise<CompressedFile> {
  const file = files.openToRead(path);
  try {
    const ending = await readEnding(file);
    if (ending !== undefined) return compressedFile(file, ending.frames, ending.facts);
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  throw new RoundtableError("store_unavailable", `The compressed log ${path} is incomplete or has an unknown format.`, {
    hint: "Restore it from a backup. `roundtable doctor` lists other problems.",
  });
}

function compressedFile(file: OpenFile, frames: readonly Frame[], facts: CompressedFacts): CompressedFile {
  const cache = new Map<Frame, Promise<Buffer>>();

  function contentOf(frame: Frame): Promise<Buffer> {
    const content = cache.get(frame) ?? decompress(file, frame);
    cache.delete(frame);
    cache.set(frame, content);
    const [oldest] = cache.keys();
    if (cache.size > FRAMES_CACHED_MAX && oldest !== undefined) cache.delete(oldest);
    return content;
  }

  return {
    facts,
    async read(into, position) {
      const frame = frameAt(frames, position);
      if (frame === undefined || into.length === 0) return 0;
      return (await contentOf(frame)).copy(into, 0, position - frame.plainAt);
    },
    stat: () => ({ ...file.stat(), size: facts.bytes }),
    close: () => file.close(),
    write: refuse,
    truncate: refuse,
    datasync: async () => refuse(),
  };
}

function frameAt(frames: readonly Frame[], position: number): Frame | undefined {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((frames[middle]?.plainAt ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  const frame = frames[low - 1];
  return frame !== undefined && position < frame.plainAt + frame.plainBytes ? frame : undefined;
}

async function decompress(file: OpenFile, { at, bytes, plainBytes }: Frame): Promise<Buffer> {
  const frame = await readRange(file, at, at + bytes);
  return new Promise((resolve) => {
    // One byte more than expected, so that a frame of any other size is detected.
    zstdDecompress(frame, { maxOutputLength: plainBytes + 1 }, (error, plain) =>
      resolve(error === null && plain.length === plainBytes ? plain : Buffer.alloc(plainBytes)),
    );
  });
}

function refuse(): never {
  throw new RoundtableError("unsupported", "A compressed log cannot be written; decompress it first.");
}

/**
 * Format of a compressed log: one zstd frame per chunk of the log, then two frames that decompressors skip: facts about
 * the whole file, and the seek table. This is zstd's seekable format, so `zstd -d` restores the log too.
 */
/** Log bytes per frame, which a reader decompresses to read a single record. */
export const FRAME_PLAIN_BYTES = 1024 * 1024;
/** Limit for frames written by other programs. */
const FRAME_PLAIN_BYTES_MAX = 16 * 1024 * 1024;
const FRAMES_MAX = 4 * 1024 * 1024;
const FACTS_BYTES_MAX = 4096;

const FACTS_MAGIC = 0x184d2a50;
const TABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
const SKIPPABLE_HEADER_BYTES = 8;
const ENTRY_BYTES = 8;
const FOOTER_BYTES = 9;

const Facts = z.object({
  format: z.literal(1),
  /** Size of the plain log. */
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
type CompressedFacts = z.infer<typeof Facts>;

/** One frame, and its range of the log. */
interface Frame {
  readonly at: number;
  readonly bytes: number;
  readonly plainAt: number;
  readonly plainBytes: number;
}

export function encodeEnding(sizes: readonly { bytes: number; plainBytes: number }[], facts: CompressedFacts): Buffer {
  const factsFrame = skippable(FACTS_MAGIC, Buffer.from(JSON.stringify(facts)));
  const entries = [...sizes, { bytes: factsFrame.length, plainBytes: 0 }];
  const table = Buffer.alloc(entries.length * ENTRY_BYTES + FOOTER_BYTES);
  for (const [index, { bytes, plainBytes }] of entries.entries()) {
    table.writeUInt32LE(bytes, index * ENTRY_BYTES);
    table.writeUInt32LE(plainBytes, index * ENTRY_BYTES + 4);
  }
  table.writeUInt32LE(entries.length, table.length - FOOTER_BYTES);
  table.writeUInt32LE(SEEKABLE_MAGIC, table.length - 4);
  return Buffer.concat([factsFrame, skippable(TABLE_MAGIC, table)]);
}

/** Undefined when the file is incomplete or has an unknown format. */
async function readEnding(file: OpenFile): Promise<{ frames: readonly Frame[]; facts: CompressedFacts } | undefined> {
  const { size } = file.stat();
  const footer = await readRange(file, Math.max(0, size - FOOTER_BYTES), size);
  if (footer.length < FOOTER_BYTES || footer.readUInt32LE(FOOTER_BYTES - 4) !== SEEKABLE_MAGIC) return undefined;
  const count = footer.readUInt32LE(0);
  const tableAt = size - FOOTER_BYTES - count * ENTRY_BYTES - SKIPPABLE_HEADER_BYTES;
  if (footer[4] !== 0 || count === 0 || count > FRAMES_MAX || tableAt < 0) return undefined;
  const table = await readRange(file, tableAt, size);
  if (table.readUInt32LE(0) !== TABLE_MAGIC) return undefined;
  const frames = parseFrames(table, count);
  const last = frames?.pop();
  if (frames === undefined || last === undefined || last.at + last.bytes !== tableAt) return undefined;
  const facts = await readFacts(file, last);
  return facts === undefined || facts.bytes !== last.plainAt ? undefined : { frames, facts };
}

function parseFrames(table: Buffer, count: number): Frame[] | undefined {
  const frames: Frame[] = [];
  let at = 0;
  let plainAt = 0;
  for (let index = 0; index < count; index++) {
    const bytes = table.readUInt32LE(SKIPPABLE_HEADER_BYTES + index * ENTRY_BYTES);
    const plainBytes = table.readUInt32LE(SKIPPABLE_HEADER_BYTES + index * ENTRY_BYTES + 4);
    if (plainBytes > FRAME_PLAIN_BYTES_MAX || bytes > 2 * FRAME_PLAIN_BYTES_MAX) return undefined;
    frames.push({ at, bytes, plainAt, plainBytes });
    at += bytes;
    plainAt += plainBytes;
  }
  return frames;
}

async function readFacts(file: OpenFile, { at, bytes, plainBytes }: Frame): Promise<CompressedFacts | undefined> {
  if (plainBytes !== 0 || bytes > FACTS_BYTES_MAX) return undefined;
  const frame = await readRange(file, at, at + bytes);
  if (frame.length < SKIPPABLE_HEADER_BYTES || frame.readUInt32LE(0) !== FACTS_MAGIC) return undefined;
  try {
    return Facts.parse(JSON.parse(frame.toString("utf8", SKIPPABLE_HEADER_BYTES)));
  } catch {
    // Damaged or foreign: without its facts the file cannot be trusted.
    return undefined;
  }
}

function skippable(magic: number, body: Buffer): Buffer {
  const header = Buffer.alloc(SKIPPABLE_HEADER_BYTES);
  header.writeUInt32LE(magic, 0);
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body]);
}
