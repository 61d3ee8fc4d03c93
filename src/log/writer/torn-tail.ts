/** A torn tail, what a cut left of the last write, is copied aside for a person to look at, then cut off. */
import { FILE_MODE, type FilePort, type OpenFile } from "../files/file-port.ts";
import { dirname } from "node:path";
import { readRange } from "../reader/scan-file.ts";

const COPY_BYTES = 1024 * 1024;

export interface TornTail {
  readonly file: OpenFile;
  readonly end: number;
  readonly size: number;
  /** The wished name of the copy; a number is added when it is taken. */
  readonly copyPath: string;
}

/** Returns the name of the copy. The tail is cut only after the copy is on disk. */
export async function cutTornTail(files: FilePort, { file, end, size, copyPath }: TornTail): Promise<string> {
  let path = copyPath;
  for (let n = 2; files.stat(path) !== undefined; n++) path = `${copyPath}-${n}`;
  const copy = files.create(path, FILE_MODE);
  try {
    for (let at = end; at < size; at += COPY_BYTES) {
      const chunk = await readRange(file, at, Math.min(size, at + COPY_BYTES));
      for (let done = 0; done < chunk.length;) done += copy.write(chunk.subarray(done));
    }
    await copy.datasync();
  } finally {
    copy.close();
  }
  await files.syncDirectory(dirname(path));
  file.truncate(end);
  await file.datasync();
  return path;
}
