/**
 * Derived files: JSON with its own checksum, so that a broken one is as good as none, and none of them is synced: each
 * turn writes some, and a sync costs more than all the rest of it. `{"crc":"0a1b2c3d","body":…}`
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

/** Undefined when it is absent, broken or unreadable. */
export async function readSealed(files: FilePort, path: string): Promise<unknown> {
  const text = (await readWhole(files, path))?.toString();
  if (text === undefined) return undefined;
  const body = text.slice(BODY_START, -1);
  if (text !== `{"crc":"${checksum(body)}","body":${body}}`) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    // The checksum fits but it is not JSON: made by hand, and worth as little as a broken one.
    return undefined;
  }
}

/** Undefined when there is no such file or the disk does not give it. */
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
