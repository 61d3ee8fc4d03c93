/** Feeds a file to a scanner in chunks, small at first so that a short answer comes at once, never more than a mebibyte. */
import type { OpenFile } from "../files/file-port.ts";
import type { Scanner } from "./scan.ts";

const FIRST_CHUNK_BYTES = 64 * 1024;
/** More than twice the longest line the scanner looks at. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Yields after each chunk; what the visitor kept of the chunk's bytes is valid until the next step.
 * Ends at `end()`, asked again for each chunk, or where the file ends.
 */
export async function* scanFile(file: OpenFile, scanner: Scanner, end: () => number): AsyncGenerator<void, void, void> {
  let buffer = Buffer.allocUnsafe(FIRST_CHUNK_BYTES);
  let held = 0;
  let position = scanner.offset;
  while (position < end()) {
    const room = buffer.subarray(held, Math.min(buffer.length, held + end() - position));
    const count = await file.read(room, position);
    if (count === 0) return;
    position += count;
    held += count;
    const consumed = scanner.consume(buffer.subarray(0, held));
    yield;
    const next = buffer.length < CHUNK_BYTES ? Buffer.allocUnsafe(buffer.length * 4) : buffer;
    buffer.copy(next, 0, consumed, held);
    buffer = next;
    held -= consumed;
  }
}

/** The bytes [from, to) of a file; fewer when it ends before. */
export async function readRange(file: OpenFile, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let done = 0;
  while (done < bytes.length) {
    const count = await file.read(bytes.subarray(done), from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
