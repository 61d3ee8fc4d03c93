/**
 * Files that only this user writes: in the data directory and beside the configuration.
 * A symlink, pipe, device or another user's file under such a name is an attack or an accident: it is an error, and is
 * neither read nor written.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFile, readFileSync, type Stats } from "node:fs";

const { O_CREAT, O_EXCL, O_RDONLY } = constants;
/** Undefined on systems that lack the flag. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/** Has a `code`, as system errors do; the message names the path. */
class NotOwnFile extends Error {
  readonly code = "not_own_file";
  readonly hint = "Inspect it, and move it away if it is not yours";

  constructor(path: string, what: string) {
    super(`${path} ${what}; not opened`);
  }
}

interface OpenOptions {
  readonly mode?: number;
  /** O_NOFOLLOW; 0 where the system has none. */
  readonly noFollow?: number;
}

/** Descriptor of a regular file of this user. Throws `NotOwnFile` or the system's error. */
export function openOwnFile(path: string, flags = O_RDONLY, { mode, noFollow = NO_FOLLOW }: OpenOptions = {}): number {
  const fd = noFollow === 0 ? openCompared(path, flags, mode) : openUnfollowed(path, flags | noFollow, mode);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotOwnFile(path, "is not a regular file");
    if (process.getuid !== undefined && stats.uid !== process.getuid()) {
      throw new NotOwnFile(path, "belongs to another user");
    }
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function readOwnFile(path: string): string {
  const fd = openOwnFile(path);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

/** Asynchronous version of `readOwnFile`. */
export async function loadOwnFile(path: string): Promise<Buffer> {
  const fd = openOwnFile(path);
  try {
    return await new Promise<Buffer>((resolve, reject) =>
      readFile(fd, (error, bytes) => (error === null ? resolve(bytes) : reject(error))),
    );
  } finally {
    closeSync(fd);
  }
}

/** For a file that a library opens by name: throws when it is a symlink or not a regular file. */
export function assertOwnFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) throw linkOr(path, stats);
}

function openUnfollowed(path: string, flags: number, mode: number | undefined): number {
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would hang.
    return openSync(path, flags | NO_WAIT, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EMLINK on FreeBSD; ENXIO for a socket or a pipe without a reader.
    if (code !== "ELOOP" && code !== "EMLINK" && code !== "ENXIO") throw error;
    throw linkOr(path, lstatSync(path, { throwIfNoEntry: false }), error);
  }
}

/** Fallback without O_NOFOLLOW: the opened file must be the one that lstat saw. */
function openCompared(path: string, flags: number, mode: number | undefined): number {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (seen !== undefined && !seen.isFile()) throw linkOr(path, seen);
  const fd = openSync(path, seen === undefined && (flags & O_CREAT) !== 0 ? flags | O_EXCL : flags, mode);
  const opened = fstatSync(fd);
  if (seen === undefined || (opened.ino === seen.ino && opened.dev === seen.dev)) return fd;
  closeSync(fd);
  throw new NotOwnFile(path, "was replaced while it was opened");
}

function linkOr(path: string, stats: Stats | undefined, cause?: unknown): Error {
  if (stats === undefined && cause instanceof Error) return cause;
  return new NotOwnFile(path, stats?.isSymbolicLink() === true ? "is a symbolic link" : "is not a regular file");
}
