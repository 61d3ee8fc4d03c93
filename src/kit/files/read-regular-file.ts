/**
 * A whole regular file of moderate size, at once. Other programs decide what lies at its path: opening a pipe would wait
 * for ever, and reading a device that a link leads to never ends.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { NotAFile } from "./read-beginning.ts";

const BYTES_MAX = 32 * 1024 * 1024;

/** Throws the system's error, or `NotAFile` for anything else and what is larger. */
export function readRegularFile(file: string): Buffer<ArrayBuffer> {
  // A constant that the system lacks is undefined and adds no bit.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > BYTES_MAX) throw new NotAFile(stats.isDirectory());
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
