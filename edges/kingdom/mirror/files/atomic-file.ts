/**
 * Files that appear whole under their name or not at all: written aside first, under a hidden name that says which
 * session it is from, so that the same session clears away what a cut has left of it.
 */
import { constants, copyFile, link, open, readdir, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { newId } from "../../../../src/kit/ids.ts";
import { codeOf, ignoreMissing } from "./error-code.ts";

const TEMPORARY = ".roundtable-";

/** Nothing is left of it when it fails. Not synced: what may go with a power cut. */
export async function writeTempFile(
  dir: string,
  owner: string,
  content: string,
  { isSynced = true } = {},
): Promise<string> {
  const temporary = path.join(dir, `${TEMPORARY}${owner}-${newId()}.tmp`);
  const handle = await open(temporary, "wx");
  try {
    try {
      await handle.writeFile(content);
      if (isSynced) await handle.datasync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await removeTempFile(temporary);
    throw error;
  }
  return temporary;
}

/** Never fails: a leftover is removed at the next start. */
export async function removeTempFile(temporary: string): Promise<void> {
  await unlink(temporary).catch(() => undefined);
}

/** Old or new, never half. */
export async function replaceFile(file: string, content: string, owner: string): Promise<void> {
  const temporary = await writeTempFile(path.dirname(file), owner, content);
  try {
    await rename(temporary, file);
  } catch (error) {
    await removeTempFile(temporary);
    throw error;
  }
}

/** False when there is one already, which then stays as it is. */
export async function createFile(file: string, content: string, owner: string): Promise<boolean> {
  const temporary = await writeTempFile(path.dirname(file), owner, content);
  try {
    return await linkIfAbsent(temporary, file);
  } finally {
    await removeTempFile(temporary);
  }
}

/** Hard-links the temporary file to its final name; false when the name exists, so that only one of two writers gets it. */
export async function linkIfAbsent(temporary: string, name: string): Promise<boolean> {
  try {
    await link(temporary, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
  }
  // A file system without links: the name is still taken by one only, but a reader may see the file growing.
  try {
    await copyFile(temporary, name, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"]);

export function isTempFileOf(owner: string, file: string): boolean {
  return file.startsWith(`${TEMPORARY}${owner}-`);
}

/** Of a directory in which nothing else of a cut can be left. */
export async function removeTempFiles(dir: string, owner: string): Promise<void> {
  const files = (await readdir(dir).catch(ignoreMissing)) ?? [];
  for (const file of files.filter((name) => isTempFileOf(owner, name)))
    await unlink(path.join(dir, file)).catch(ignoreMissing);
}
