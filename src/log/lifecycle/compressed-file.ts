/**
 * A compressed log as if it were the plain file: the same bytes at the same places, a few pieces of it in memory.
 * A piece that cannot be decompressed reads as NUL bytes, so that the records in it are shown as damage and the rest opens.
 */
import { zstdDecompress } from "node:zlib";
import { RoundtableError } from "../../protocol/index.ts";
import type { FilePort, OpenFile } from "../files/file-port.ts";
import { readRange } from "../reader/scan-file.ts";
import { readEnding, type CompressedFacts, type Frame } from "./seek-table.ts";

/** Reading goes forward; a second reader may be elsewhere. */
const FRAMES_CACHED_MAX = 3;

export interface CompressedFile extends OpenFile {
  readonly facts: CompressedFacts;
}

/** Throws the system's error when it cannot be opened, `store_unavailable` when it is not whole. */
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
  throw new RoundtableError("store_unavailable", `The compressed log ${path} is cut off or is not one.`, {
    hint: "Bring it back from a copy; `roundtable doctor` says what else is wrong.",
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
    // One byte more than it may have, so that a frame of any other size is noticed.
    zstdDecompress(frame, { maxOutputLength: plainBytes + 1 }, (error, plain) =>
      resolve(error === null && plain.length === plainBytes ? plain : Buffer.alloc(plainBytes)),
    );
  });
}

function refuse(): never {
  throw new RoundtableError("unsupported", "A compressed log is not written to; it is brought back first.");
}
