/**
 * Atomic files: written first under a hidden name that contains the session,
 * so that the same session removes leftovers of a crash.
 */
import { constants, copyFile, link, open, readdir, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { newId } from "../../../../src/kit/ids.ts";
import { codeOf, ignoreMissing } from "./error-code.ts";

const TEMPORARY = ".roundtable-";

/** Leaves nothing behind on failure. Not synced: for files that may be lost in a power cut. */
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

/** Old or new content, never a mix. */
export async function replaceFile(file: string, content: string, owner: string): Promise<void> {
  const temporary = await writeTempFile(path.dirname(file), owner, content);
  try {
    await rename(temporary, file);
  } catch (error) {
    await removeTempFile(temporary);
    throw error;
  }
}

/** False when the file exists; it is left alone. */
export async function createFile(file: string, content: string, owner: string): Promise<boolean> {
  const temporary = await writeTempFile(path.dirname(file), owner, content);
  try {
    return await linkIfAbsent(temporary, file);
  } finally {
    await removeTempFile(temporary);
  }
}

/**
 * Hard-links the temporary file to its final name; false when the name exists, so that only one of two writers gets it.
 */
export async function linkIfAbsent(temporary: string, name: string): Promise<boolean> {
  try {
    await link(temporary, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
  }
  // Without hard links the name is still exclusive, but a reader may see the file grow.
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

/** For directories in which a crash leaves nothing but temporary files. */
export async function removeTempFiles(dir: string, owner: string): Promise<void> {
  const files = (await readdir(dir).catch(ignoreMissing)) ?? [];
  for (const file of files.filter((name) => isTempFileOf(owner, name)))
    await unlink(path.join(dir, file)).catch(ignoreMissing);
}
