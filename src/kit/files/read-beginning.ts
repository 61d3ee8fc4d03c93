/**
 * The beginning of a file, whatever stands under its name.
 * Promises: nothing is waited for that is no file (a pipe never ends), and no more is read than was allowed for.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

export interface Beginning {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** False when the file goes on. */
  readonly isWhole: boolean;
}

/** There is something under the name, and it is no file. */
export class NotAFile extends Error {
  readonly isDirectory: boolean;

  constructor(isDirectory: boolean) {
    super(isDirectory ? "it is a directory" : "it is not a regular file");
    this.isDirectory = isDirectory;
  }
}

/** Rejects with the system's error, or with `NotAFile`. */
export async function readBeginning(file: string, bytesMax: number): Promise<Beginning> {
  // Where a system does not know one of them it is undefined, which is no bit.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new NotAFile(stats.isDirectory());
    // One byte more than was said: a file may grow while it is read, or not say how long it is.
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

/** Files that the system makes as they are read say that they are empty. */
const MEASURED_BYTES = 1024 * 1024;
