/** Writes a file atomically from chunks. */
import { constants } from "node:fs";
import { access, link, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { newId } from "../../kit/ids.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";

export async function writeNewFile(
  file: string,
  chunks: AsyncGenerator<string, void, void>,
  { force }: { readonly force: boolean },
): Promise<void> {
  try {
    if (!force && (await isThere(file))) throw alreadyExists(file);
    await writeAll(file, chunks, force);
  } finally {
    await chunks.return();
  }
}

async function writeAll(file: string, chunks: AsyncIterable<string>, force: boolean): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${newId()}.tmp`;
  // Sessions are private until the owner changes the mode.
  const handle = await open(temporary, "wx", 0o600);
  try {
    try {
      for await (const chunk of chunks) await handle.appendFile(chunk);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    if (force) await rename(temporary, file);
    else await linkNew(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Unlike rename, link never replaces a file created meanwhile. */
async function linkNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw alreadyExists(to);
    // Some file systems have no hard links.
    if (await isThere(to)) throw alreadyExists(to);
    await rename(from, to);
  }
}

async function isThere(file: string): Promise<boolean> {
  return await access(file, constants.F_OK).then(
    () => true,
    () => false,
  );
}

function alreadyExists(file: string): Failure {
  return new Failure(exitCodes.failure, "conflict", `${file} already exists`, {
    hint: "Use --force to replace it, or choose another name with -o",
  });
}
