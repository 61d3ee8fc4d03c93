/**
 * Reads files of a tree that other programs write, whatever they contain.
 * Promises: never blocks on anything but a file (a pipe never ends); reads at most the limit; on
 * request, follows no link out of the tree.
 */
import { constants, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { codeOf } from "./error-code.ts";

/** Size limit of the small JSON files. */
const SMALL_FILE_BYTES_MAX = 1024 * 1024;

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** It exists and cannot be read; the message says why. */
export class UnreadableFile extends Error {
  /** True for errors of the disk or the machine, which the next attempt may not have. */
  get isPassing(): boolean {
    return PASSING.has(codeOf(this.cause) ?? "");
  }
}

const PASSING: ReadonlySet<string> = new Set([
  "EIO",
  "EAGAIN",
  "EBUSY",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ESTALE",
  "EINTR",
]);

export interface OpenOptions {
  /** False for what would be shown: a link could lead to anything. */
  readonly areLinksFollowed: boolean;
}

/** Undefined if missing. Throws `UnreadableFile`. */
export async function openTreeFile(file: string, { areLinksFollowed }: OpenOptions): Promise<OpenFile | undefined> {
  // Undefined, so no bit, where a system lacks it.
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, O_RDONLY | O_NONBLOCK | (areLinksFollowed ? 0 : O_NOFOLLOW));
    const stats = await handle.stat();
    if (!stats.isFile()) throw new UnreadableFile("it is not a file");
    return { handle, stats };
  } catch (error) {
    await handle?.close();
    if (error instanceof UnreadableFile) throw error;
    if (codeOf(error) === "ENOENT") return undefined;
    throw unreadable(error);
  }
}

/** Undefined if missing. Throws `UnreadableFile`, also for an oversized one. */
export async function readTreeFile(file: string, bytesMax: number = SMALL_FILE_BYTES_MAX): Promise<string | undefined> {
  const opened = await openTreeFile(file, { areLinksFollowed: true });
  if (opened === undefined) return undefined;
  const { handle, stats } = opened;
  try {
    if (stats.size > bytesMax) throw new UnreadableFile(`it has ${stats.size} bytes; at most ${bytesMax} are read`);
    return (await readBytes(opened, stats.size)).toString("utf8");
  } finally {
    await handle.close();
  }
}

/** Whether the file has exactly these bytes; compares sizes before reading. */
export async function hasContent(file: string, content: string): Promise<boolean> {
  const bytes = Buffer.from(content);
  try {
    const opened = await openTreeFile(file, { areLinksFollowed: false });
    if (opened === undefined) return false;
    try {
      return opened.stats.size === bytes.length && (await readBytes(opened, bytes.length)).equals(bytes);
    } finally {
      await opened.handle.close();
    }
  } catch (error) {
    // An unreadable file is compared again later, or it would be written twice.
    if (error instanceof UnreadableFile && !error.isPassing) return false;
    throw error;
  }
}

/** At most that many bytes from the offset. Throws `UnreadableFile`. */
export async function readBytes({ handle }: OpenFile, bytesMax: number, from = 0): Promise<Buffer> {
  const buffer = Buffer.alloc(bytesMax);
  try {
    const { bytesRead } = await handle.read(buffer, 0, bytesMax, from);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(cause: unknown): UnreadableFile {
  const code = codeOf(cause) ?? String(cause);
  return new UnreadableFile(code === "ELOOP" ? "it is a link" : code, { cause });
}
