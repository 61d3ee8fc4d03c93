/** Writes a file atomically from chunks. */
import { constants } from "node:fs";
import { access, link, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { newId } from "../../kit/ids.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { errorCodeOf, noSpaceReason } from "../../kit/files/system-error.ts";

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
  const temporary = `${file}.${newId()}.tmp`;
  const explain = (error: unknown): never => {
    throw cannotWrite(file, error);
  };
  await mkdir(path.dirname(file), { recursive: true }).catch(explain);
  // Sessions are private until the owner changes the mode.
  const handle = await open(temporary, "wx", 0o600).catch(explain);
  try {
    try {
      // Errors of the chunks are those of the session.
      for await (const chunk of chunks) await handle.appendFile(chunk).catch(explain);
      await handle.datasync().catch(explain);
    } finally {
      await handle.close();
    }
    await (force ? rename(temporary, file) : linkNew(temporary, file)).catch(explain);
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

const REASONS: Readonly<Record<string, string | undefined>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "its directory cannot be created",
  EEXIST: "a file is in the way",
  ENOTDIR: "a file is in the way",
  EISDIR: "it is a directory",
};

/** The file or directory of -o. */
export function cannotWrite(target: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = errorCodeOf(error) || "unknown";
  const reason = noSpaceReason(error) ?? REASONS[code] ?? code;
  const exitCode = code === "EACCES" || code === "EPERM" ? exitCodes.permissionDenied : exitCodes.failure;
  const options = { hint: "Choose another place with -o", cause: error };
  return new Failure(exitCode, code, `cannot write ${target}: ${reason}`, options);
}

function alreadyExists(file: string): Failure {
  return new Failure(exitCodes.failure, "conflict", `${file} already exists`, {
    hint: "Use --force to replace it, or choose another name with -o",
  });
}
