/**
 * Files and directories made only so that a sandbox can mount something read-only in their place: a missing path cannot
 * be closed. Each has a record in our data directory until it is removed again.
 * Guarantees: only what we made and nobody has changed is removed, and nothing that a sandbox of any process has mounted:
 * removing a mount point detaches the mount.
 */
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import path from "node:path";
import { realPath } from "./access-map.ts";

export interface Placeholder {
  readonly file: string;
  /** Content of a file; a directory has none. */
  readonly text?: string;
}

interface PlaceholderRecord extends Placeholder {
  /** Identity of what was made; missing if we were killed before it was known. */
  readonly dev?: number;
  readonly ino?: number;
}

/** Number of sandboxes of this process that need one. */
const users = new Map<string, number>();

/** Makes those that are missing. Returns a function that removes them when no sandbox needs them any more. */
export function holdPlaceholders(wanted: readonly Placeholder[], dataDir: string): () => void {
  const records = recordsIn(dataDir);
  const held = wanted.map(atRealPath).flatMap((one) => (make(one, records) || users.has(one.file) ? [one.file] : []));
  for (const file of held) users.set(file, (users.get(file) ?? 0) + 1);
  return () => {
    const unused = held.splice(0).filter((file) => {
      const left = (users.get(file) ?? 1) - 1;
      if (left > 0) users.set(file, left);
      else users.delete(file);
      return left <= 0;
    });
    remove(
      unused.flatMap((file) => readRecord(recordOf(file, records)) ?? []),
      records,
    );
  };
}

/** Removes what a process that was killed has left. */
export function sweepPlaceholders(dataDir: string): void {
  const records = recordsIn(dataDir);
  const left = namesIn(records).flatMap((name) => readRecord(path.join(records, name)) ?? []);
  remove(
    left.filter(({ file }) => !users.has(file)),
    records,
  );
}

/** As the mounts are named. */
function atRealPath(one: Placeholder): Placeholder {
  const parent = realPath(path.dirname(one.file));
  return parent === undefined ? one : { ...one, file: path.join(parent, path.basename(one.file)) };
}

function recordsIn(dataDir: string): string {
  return path.join(dataDir, "placeholders");
}

function make(wanted: Placeholder, records: string): boolean {
  const { file, text } = wanted;
  const record = recordOf(file, records);
  // Made by another process with the same data directory: it is ours to remove as well.
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return readRecord(record) !== undefined;
  try {
    if (statSync(path.dirname(file), { throwIfNoEntry: false }) === undefined) return false;
    mkdirSync(records, { recursive: true, mode: 0o700 });
    writeFileSync(record, JSON.stringify(wanted), { mode: 0o600 });
    if (text === undefined) mkdirSync(file, { mode: 0o700 });
    else writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    const { dev, ino } = lstatSync(file);
    writeFileSync(record, JSON.stringify({ ...wanted, dev, ino }));
    return true;
  } catch (error) {
    // Made by somebody else at the same moment, a broken link, or a directory where we may not write.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(record, { force: true });
    return false;
  }
}

function remove(unused: readonly PlaceholderRecord[], records: string): void {
  const mounted = unused.length === 0 ? new Set<string>() : mountPoints();
  for (const one of unused) {
    if (mounted.has(one.file)) continue;
    try {
      const stats = lstatSync(one.file, { throwIfNoEntry: false });
      if (stats !== undefined && isUnchanged(one, stats)) {
        if (one.text === undefined) rmdirSync(one.file);
        else unlinkSync(one.file);
      }
    } catch {
      // Something was put into the directory meanwhile, so it is no longer ours.
    }
    rmSync(recordOf(one.file, records), { force: true });
  }
}

function isUnchanged({ file, text, dev, ino }: PlaceholderRecord, stats: Stats): boolean {
  const isSame = ino === undefined || (stats.ino === ino && stats.dev === dev);
  if (text === undefined) return isSame && stats.isDirectory();
  return isSame && stats.isFile() && stats.nlink === 1 && readFileSync(file, "utf8") === text;
}

/** Of all sandboxes of this user, also of other hosts. */
function mountPoints(): Set<string> {
  const pids = process.platform === "linux" ? namesIn("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const tables = pids.filter((pid) => readText(`/proc/${pid}/comm`) === "bwrap\n");
  const points = tables.flatMap((pid) => readText(`/proc/${pid}/mountinfo`).split("\n").map(mountPointOf));
  return new Set(points);
}

function mountPointOf(line: string): string {
  const escaped = line.split(" ")[4] ?? "";
  const point = escaped.replace(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  // Where bwrap mounts everything before it makes that the root.
  return Buffer.from(point, "latin1")
    .toString("utf8")
    .replace(/^\/newroot(?=\/)/, "");
}

function recordOf(file: string, records: string): string {
  return path.join(records, `${createHash("sha256").update(file).digest("hex").slice(0, 32)}.json`);
}

function readRecord(at: string): PlaceholderRecord | undefined {
  try {
    const record = JSON.parse(readText(at)) as PlaceholderRecord;
    return path.isAbsolute(record.file) ? record : undefined;
  } catch {
    // None, or cut by a crash; then it is not known what was made.
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // There are none.
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Missing, or of a process that has exited or belongs to another user.
    return "";
  }
}
