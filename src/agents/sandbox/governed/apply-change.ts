/**
 * Makes a change of a governed file that the user has allowed, where the member itself cannot: the file is read-only in
 * its sandbox. In place, so that the sandbox shows it; never through a link, whatever the member does meanwhile.
 */
import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { realpathSync, unlinkSync, writeSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../tools/inside.ts";
import { planChange } from "./plan-change.ts";

const FILE_BYTES_MAX = 2 * 1024 * 1024;
const NEW_MODE = 0o644;

export interface Change {
  readonly cwd: string;
  /** From the session's directory. */
  readonly file: string;
  readonly call: string;
  readonly diff?: string | undefined;
}

/** Undefined when it is made; otherwise why not, and then nothing is changed. Never throws. */
export function applyChange({ cwd, file, call, diff }: Change): string | undefined {
  try {
    const root = realpathSync(cwd);
    const target = path.resolve(root, file);
    if (!isInside(root, target) || target === root) return "it is outside of the session's directory";
    const isNew = lstatSync(target, { throwIfNoEntry: false }) === undefined;
    if (isNew && !makeParents(path.dirname(target))) return "it is reached through a link";
    if (realpathSync(path.dirname(target)) !== path.dirname(target)) return "it is reached through a link";
    return isNew ? makeFile(target, { call, diff }) : changeFile(target, { call, diff });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ELOOP"
      ? "it is a link"
      : `it cannot be written (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Only below a directory that is reached without a link. */
function makeParents(directory: string): boolean {
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined) return realpathSync(directory) === directory;
  if (!makeParents(path.dirname(directory))) return false;
  mkdirSync(directory);
  return true;
}

type Request = Pick<Change, "call" | "diff">;

function makeFile(target: string, request: Request): string | undefined {
  const planned = planChange(request, null);
  if ("why" in planned) return planned.why;
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const fd = openSync(target, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, NEW_MODE);
  try {
    if (!isAt(target, fd)) {
      unlinkSync(target);
      return "its directory was replaced meanwhile";
    }
    writeWhole(fd, planned.text);
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function changeFile(target: string, request: Request): string | undefined {
  const fd = openSync(target, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return "it is not a regular file";
    if (stats.nlink > 1) return "it has a second name";
    if (stats.size > FILE_BYTES_MAX) return `it is larger than ${FILE_BYTES_MAX} bytes`;
    if (!isAt(target, fd)) return "its directory was replaced meanwhile";
    const before = readFileSync(fd);
    const text = before.toString("utf8");
    if (!Buffer.from(text).equals(before)) return "it is not text in UTF-8";
    const planned = planChange(request, text);
    if ("why" in planned) return planned.why;
    writeWhole(fd, planned.text);
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** Whether what was opened is what stands under this very name, all links resolved. */
function isAt(target: string, fd: number): boolean {
  const [opened, named] = [fstatSync(fd), lstatSync(target, { throwIfNoEntry: false })];
  return realpathSync(target) === target && opened.ino === named?.ino && opened.dev === named.dev;
}

function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, done);
  ftruncateSync(fd, bytes.length);
}
