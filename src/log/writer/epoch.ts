/**
 * The epoch: incremented at every open for writing, never used twice. It is in every record, and in a small file beside
 * the log.
 *
 * The file is synced before the first record of its epoch is written, so it knows epochs that wrote nothing and epochs
 * whose records were lost in a power cut; a cursor of a lost range must never match the records written later in its
 * place. The log knows more only when the file was lost or restored from a copy. So the next epoch is one more than the
 * greater of both.
 */
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { FILE_MODE, type FilePort } from "../files/file-port.ts";
import { readWhole } from "../files/sealed-json.ts";

export async function readEpoch(files: FilePort, path: string): Promise<number> {
  const text = (await readWhole(files, path))?.toString().trim() ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** On disk when it resolves. */
export async function writeEpoch(files: FilePort, path: string, epoch: number): Promise<void> {
  await writeFileAtomic(path, `${epoch}\n`, { mode: FILE_MODE, files });
}
