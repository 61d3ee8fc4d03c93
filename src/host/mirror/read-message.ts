/** Reads a message file of another program, whatever state it is in: damage is a sentence, never an exception. */
import { open } from "node:fs/promises";
import path from "node:path";
import { kingdom } from "../../wires/index.ts";
import { MESSAGE_BYTES_MAX } from "./thread-directory.ts";

export interface MessageOnDisk {
  readonly read: kingdom.ReadMessage;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Undefined when it is gone; a string says why it cannot be read. */
export async function readMessageFile(dir: string, file: string): Promise<MessageOnDisk | string | undefined> {
  try {
    const handle = await open(path.join(dir, file), "r");
    try {
      const found = await handle.stat();
      if (!found.isFile()) return "it is not a file";
      const buffer = Buffer.alloc(Math.min(found.size, MESSAGE_BYTES_MAX));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      const bytes = buffer.subarray(0, bytesRead);
      const read = kingdom.decodeMessage(file, bytes.toString("utf8"));
      if (read === undefined) return "its name is not that of a message";
      return {
        read: { ...read, damage: damageOf(read, bytes, found.size) },
        bytes,
        size: found.size,
        mtimeMs: found.mtimeMs,
      };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return code === "ENOENT" ? undefined : code;
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
