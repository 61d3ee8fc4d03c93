/**
 * Files and directories made only so that a sandbox can mount something read-only in their place: a missing path cannot
 * be closed. They are recorded in our data directory until they are removed again.
 * Guarantees: only what we made and nobody has changed is removed, and nothing that a sandbox of any process has
 * mounted: removing a mount point detaches the mount.
 */
import { randomUUID } from "node:crypto";
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import path from "node:path";
import { realPath } from "./access-map.ts";
import { makeWritable } from "./governed/quarantine.ts";
import { namesIn, readText } from "./read-existing.ts";

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

/** Creates missing ones. Returns a function that removes them when no sandbox needs them any more. */
export function holdPlaceholders(wanted: readonly Placeholder[], dataDir: string): () => void {
  const records = recordsIn(dataDir);
  const all = wanted.map(atRealPath);
  const { missing = [], present = [] } = Object.groupBy(all, ({ file }) => (isThere(file) ? "present" : "missing"));
  // Made by another process with the same data directory: it is ours to remove as well.
  const known = new Set(
    present.length === 0 ? [] : readRecords(records).flatMap(({ made }) => made.map(({ file }) => file)),
  );
  const ours = present.map(({ file }) => file).filter((file) => known.has(file) || users.has(file));
  const held = [...ours, ...makeAll(missing, records)];
  for (const file of held) users.set(file, (users.get(file) ?? 0) + 1);
  return () => {
    const unused = held.splice(0).filter((file) => {
      const left = (users.get(file) ?? 1) - 1;
      if (left > 0) users.set(file, left);
      else users.delete(file);
      return left <= 0;
    });
    const isUnused = new Set(unused);
    if (unused.length > 0) remove(records, (file) => isUnused.has(file));
  };
}

/** Whether this is a file without content that is there for a sandbox only, of any process: it goes with that one. */
export function isEmptyPlaceholder(file: string, dataDir: string): boolean {
  const real = atRealPath({ file }).file;
  if (statSync(real, { throwIfNoEntry: false })?.size !== 0) return false;
  return users.has(real) || readRecords(recordsIn(dataDir)).some(({ made }) => made.some((one) => one.file === real));
}

/** Removes leftovers of killed processes. */
export function sweepPlaceholders(dataDir: string): void {
  remove(recordsIn(dataDir), (file) => !users.has(file));
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** As the mounts are named. */
function atRealPath(one: Placeholder): Placeholder {
  const parent = realPath(path.dirname(one.file));
  return parent === undefined ? one : { ...one, file: path.join(parent, path.basename(one.file)) };
}

function recordsIn(dataDir: string): string {
  return path.join(dataDir, "placeholders");
}

/** Names of those that were created. One record for all: an agent waits for this. */
function makeAll(missing: readonly Placeholder[], records: string): string[] {
  const wanted = missing.filter(({ file }) => isThere(path.dirname(file)));
  if (wanted.length === 0) return [];
  try {
    mkdirSync(records, { recursive: true, mode: 0o700 });
    const record = path.join(records, `${randomUUID()}.json`);
    // Before they are made, and then with their identity.
    writeFileSync(record, JSON.stringify(wanted), { mode: 0o600 });
    const made = wanted.flatMap((one) => make(one));
    writeRecord(record, made);
    return made.map(({ file }) => file);
  } catch {
    // Nothing can be recorded, as on a full disk: nothing is made.
    return [];
  }
}

function make({ file, text }: Placeholder): PlaceholderRecord[] {
  try {
    if (text === undefined) mkdirSync(file, { mode: 0o700 });
    else writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    const { dev, ino } = lstatSync(file);
    return [{ file, ...(text === undefined ? {} : { text }), dev, ino }];
  } catch {
    // Made by somebody else at the same moment, a broken link, or a directory where we may not write.
    return [];
  }
}

/** Whole or not at all; without content it is removed. */
function writeRecord(record: string, made: readonly PlaceholderRecord[]): void {
  if (made.length === 0) {
    unlinkSync(record);
    return;
  }
  const next = `${record}.new`;
  writeFileSync(next, JSON.stringify(made), { mode: 0o600 });
  renameSync(next, record);
}

function remove(records: string, isUnused: (file: string) => boolean): void {
  const recorded = readRecords(records);
  const isAny = recorded.some(({ made }) => made.some(({ file }) => isUnused(file)));
  const mounted = isAny ? mountPoints() : new Set<string>();
  for (const { record, made } of recorded) {
    const remaining = made.filter(({ file }) => !isUnused(file) || mounted.has(file));
    if (remaining.length === made.length && made.length > 0) continue;
    for (const one of made) if (!remaining.includes(one)) removeMade(one);
    try {
      writeRecord(record, remaining);
    } catch {
      // Another process was faster.
    }
  }
}

function removeMade(one: PlaceholderRecord): void {
  try {
    const stats = lstatSync(one.file, { throwIfNoEntry: false });
    if (stats === undefined || !isUnchanged(one, stats)) return;
    const parent = path.dirname(one.file);
    if (!mayWrite(parent)) makeWritable(parent);
    if (one.text === undefined) rmdirSync(one.file);
    else unlinkSync(one.file);
  } catch {
    // Something was put into the directory meanwhile, so it is no longer ours.
  }
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
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

interface RecordFile {
  readonly record: string;
  readonly made: readonly PlaceholderRecord[];
}

function readRecords(records: string): RecordFile[] {
  return namesIn(records)
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({ record: path.join(records, name), made: readRecord(path.join(records, name)) }));
}

/** Of one placeholder or of several. */
function readRecord(at: string): PlaceholderRecord[] {
  try {
    const made = JSON.parse(readText(at)) as PlaceholderRecord | PlaceholderRecord[];
    return [made].flat().filter(({ file }) => path.isAbsolute(file));
  } catch {
    // Cut by a crash; then it is not known what was made.
    return [];
  }
}
