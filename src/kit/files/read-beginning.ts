/**
 * First bytes of a file. Never blocks on something that is not a regular file (a pipe has no end), never reads more
 * than `bytesMax`.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

export interface Beginning {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** False when the file is longer. */
  readonly isWhole: boolean;
}

/** The path exists and is not a regular file. */
export class NotAFile extends Error {
  readonly isDirectory: boolean;

  constructor(isDirectory: boolean) {
    super(isDirectory ? "it is a directory" : "it is not a regular file");
    this.isDirectory = isDirectory;
  }
}

/** Rejects with the system's error or with `NotAFile`. */
export async function readBeginning(file: string, bytesMax: number): Promise<Beginning> {
  // A constant that the system lacks is undefined and adds no bit.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new NotAFile(stats.isDirectory());
    // One byte more than the reported size: the file may grow while it is read, or report no size.
    const buffer = new Uint8Array(Math.min(Math.max(stats.size, MEASURED_BYTES), bytesMax) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const bytes = buffer.subarray(0, Math.min(length, buffer.length - 1));
    return { bytes, isWhole: bytes.length === length };
  } finally {
    await handle.close();
  }
}

/** Files in /proc report size 0. */
const MEASURED_BYTES = 1024 * 1024;
