/** Reads a message file of another program, whatever state it is in: damage is a sentence, never an exception. */
import path from "node:path";
import * as kingdom from "../../format/kingdom.ts";
import { MESSAGE_BYTES_MAX } from "./thread-directory.ts";
import { openTreeFile, readBytes, UnreadableFile } from "./tree-file.ts";

export interface MessageOnDisk {
  readonly read: kingdom.ReadMessage;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Undefined when it is gone; a string is the reason it is unreadable. Throws `UnreadableFile` for transient errors. */
export async function readMessageFile(dir: string, file: string): Promise<MessageOnDisk | string | undefined> {
  try {
    const opened = await openTreeFile(path.join(dir, file), { areLinksFollowed: false });
    if (opened === undefined) return undefined;
    try {
      const { size, mtimeMs } = opened.stats;
      const bytes = await readBytes(opened, Math.min(size, MESSAGE_BYTES_MAX));
      const read = kingdom.decodeMessage(file, bytes.toString("utf8"));
      if (read === undefined) return "its name is not that of a message";
      return { read: { ...read, damage: damageOf(read, bytes, size) }, bytes, size, mtimeMs };
    } finally {
      await opened.handle.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile && !error.isPassing) return error.message;
    throw error;
  }
}

function damageOf(read: kingdom.ReadMessage, bytes: Uint8Array, size: number): string | undefined {
  if (size > MESSAGE_BYTES_MAX) return `it has ${size} bytes; only the first ${MESSAGE_BYTES_MAX} were read`;
  if (!isUtf8(bytes)) return "it is not UTF-8; what could not be read is marked";
  return read.damage;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    // That is the answer.
    return false;
  }
}
