/**
 * Derived files: JSON with a checksum, so that a broken one is ignored. They are not synced: every turn writes some,
 * and a sync would cost more than the rest of it. `{"crc":"0a1b2c3d","body":…}`
 */
import { crc32 } from "node:zlib";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { errorCodeOf } from "../../kit/files/system-error.ts";
import { FILE_MODE, type FilePort } from "./file-port.ts";
import { readRange } from "../reader/scan.ts";

const BODY_START = '{"crc":"00000000","body":'.length;

export async function writeSealed(files: FilePort, path: string, body: unknown): Promise<void> {
  const text = JSON.stringify(body);
  await writeFileAtomic(path, `{"crc":"${checksum(text)}","body":${text}}`, {
    mode: FILE_MODE,
    files,
    isDerived: true,
  });
}

/** Undefined when it is missing, broken or unreadable. */
export async function readSealed(files: FilePort, path: string): Promise<unknown> {
  const text = (await readWhole(files, path))?.toString();
  if (text === undefined) return undefined;
  const body = text.slice(BODY_START, -1);
  if (text !== `{"crc":"${checksum(body)}","body":${body}}`) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    // A valid checksum around something that is not JSON: edited by hand, ignored like a broken one.
    return undefined;
  }
}

/** Undefined when the file is missing or unreadable. */
export async function readWhole(files: FilePort, path: string): Promise<Buffer | undefined> {
  let file;
  try {
    file = files.openToRead(path);
    return await readRange(file, 0, file.stat().size);
  } catch (error) {
    if (errorCodeOf(error) === "") throw error;
    return undefined;
  } finally {
    file?.close();
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
