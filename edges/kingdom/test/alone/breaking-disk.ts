/**
 * Patches node:fs for the whole process with a failing disk: at the n-th operation under a
 * directory the process dies, or the operation fails. The product is unaware of it.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";

/**
 * kill: the process is gone before the operation. torn: gone half-way through it, which only operations on more than
 * one byte or name have. EIO: the operation fails. ENOSPC: it fails half-way.
 */
export type Effect = "kill" | "torn" | "EIO" | "ENOSPC";

export interface Fault {
  /** From 1: which operation it hits, for torn and ENOSPC counted among those that have a half. */
  readonly at: number;
  readonly effect: Effect;
}

export interface WatchedDisk {
  /** What was done, in order: `rename .kd/current`. */
  readonly operations: string[];
  /** How many of them have a half. */
  halves: number;
  /** The operation that was hit. */
  hit: string | undefined;
  /** Stops counting and failing. */
  end(): void;
}

interface Watch extends WatchedDisk {
  readonly root: string;
  readonly fault: Fault | undefined;
  readonly counts: Counts;
}

/** Whether an operation on this file, by its path below the root, is one of those that are counted. */
export type Counts = (operation: string, file: string) => boolean;

type Anything = (...given: unknown[]) => unknown;
type Half = (() => unknown) | undefined;

const watches: Watch[] = [];
const openFiles = new Map<number, string>();
const handles = new WeakMap<object, string>();
const NEWLINE = 10;
const rawWriteSync = fs.writeSync;
let isOther = false;
let areHandlesPatched = false;

export function watchDisk(root: string, counts: Counts, fault?: Fault): WatchedDisk {
  const end = (): void => void watches.splice(watches.indexOf(watch), 1);
  const watch: Watch = { root, fault, counts, operations: [], halves: 0, hit: undefined, end };
  watches.push(watch);
  return watch;
}

/** Operations of another program: not counted, never failing. */
export function asOther<T>(work: () => T): T {
  const before = isOther;
  isOther = true;
  try {
    return work();
  } finally {
    isOther = before;
  }
}

/** The fault, if it is due at this operation. */
function count(operation: string, file: string, hasHalf: boolean): Effect | undefined {
  if (isOther) return undefined;
  const watch = watches.find(({ root }) => file.startsWith(`${root}${path.sep}`));
  if (watch === undefined) return undefined;
  const name = path.relative(watch.root, file);
  if (!watch.counts(operation, name)) return undefined;
  watch.operations.push(`${operation} ${name}`);
  if (hasHalf) watch.halves += 1;
  const { effect, at } = watch.fault ?? { at: 0 };
  const isHalf = effect === "torn" || effect === "ENOSPC";
  if (at !== (isHalf ? watch.halves : watch.operations.length) || (isHalf && !hasHalf)) return undefined;
  watch.hit = `${operation} ${name}`;
  return effect;
}

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // Blocks until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error("unreachable");
}

function refusal(effect: "EIO" | "ENOSPC", operation: string, file: string): Error {
  return Object.assign(new Error(`${effect}: the disk refuses, ${operation} '${file}'`), { code: effect });
}

function failNow(effect: Effect, operation: string, file: string, half: Half): never {
  if (effect === "torn") half?.();
  if (effect === "kill" || effect === "torn") die();
  if (effect === "ENOSPC") half?.();
  throw refusal(effect, operation, file);
}

/** Of what is written: its first line and a little more, or half of its only line. */
function halfOf(data: unknown): Uint8Array {
  const bytes = typeof data === "string" ? Buffer.from(data) : (data as Uint8Array);
  const second = bytes.indexOf(NEWLINE) + 1;
  return bytes.subarray(0, second > 0 && second < bytes.length - 1 ? second + 1 : Math.floor(bytes.length / 2));
}

type Patched = Record<string, Anything>;

function patch(on: object, name: string, make: (original: Anything) => Anything): void {
  const target = on as Patched;
  const original = target[name];
  if (original === undefined) throw new Error(`there is no ${name}`);
  target[name] = make(original);
}

/** By path, whole or not at all. */
function patchByPath(on: object, names: readonly string[], isAsync: boolean): void {
  for (const name of names) {
    patch(on, name, (original) => {
      const run = (...given: unknown[]): unknown => {
        const file = String(given[0]);
        const effect = count(name.replace("Sync", ""), file, false);
        if (effect !== undefined) failNow(effect, name, file, undefined);
        return original.apply(on, given);
      };
      return isAsync ? async (...given) => await run(...given) : run;
    });
  }
}

function isReading(flags: unknown): boolean {
  return typeof flags === "number" ? (flags & 3) === 0 : flags === undefined || flags === "r";
}

function patchPromises(): void {
  const { promises } = fs;
  const raw = { writeFileSync: fs.writeFileSync, mkdirSync: fs.mkdirSync };
  patchByPath(promises, ["link", "unlink", "rename", "copyFile", "readdir", "stat", "lstat", "realpath"], true);
  patch(promises, "writeFile", (original) => async (...given) => {
    const file = String(given[0]);
    const effect = count("writeFile", file, true);
    if (effect !== undefined)
      failNow(effect, "write", file, () => raw.writeFileSync(file, halfOf(given[1]), given[2] as { flag: string }));
    return await original.apply(promises, given);
  });
  patch(promises, "mkdir", (original) => async (...given) => {
    const file = String(given[0]);
    const effect = count("mkdir", file, true);
    if (effect !== undefined)
      failNow(effect, "mkdir", file, () => raw.mkdirSync(path.dirname(file), { recursive: true }));
    return await original.apply(promises, given);
  });
  patch(promises, "open", (original) => async (...given) => {
    const file = String(given[0]);
    const effect = count(isReading(given[1]) ? "openToRead" : "open", file, false);
    if (effect !== undefined) failNow(effect, "open", file, undefined);
    const handle = (await original.apply(promises, given)) as object;
    patchHandles(handle);
    handles.set(handle, file);
    return handle;
  });
}

/** Their methods are all on one object, which only an open one shows. */
function patchHandles(sample: object): void {
  if (areHandlesPatched) return;
  areHandlesPatched = true;
  const prototype = Object.getPrototypeOf(sample) as object;
  for (const name of ["writeFile", "appendFile", "datasync", "read", "stat"]) {
    const hasHalf = name === "writeFile" || name === "appendFile";
    patch(
      prototype,
      name,
      (original) =>
        async function (this: { fd: number }, ...given: unknown[]) {
          const file = handles.get(this) ?? "";
          const effect = count(name, file, hasHalf);
          if (effect !== undefined) {
            failNow(effect, name, file, hasHalf ? () => rawWriteSync(this.fd, halfOf(given[0])) : undefined);
          }
          return await original.apply(this, given);
        },
    );
  }
}

function patchSync(): void {
  patchByPath(fs, ["linkSync", "unlinkSync", "renameSync", "mkdirSync", "rmSync", "statSync"], false);
  patch(fs, "openSync", (original) => (...given) => {
    const file = String(given[0]);
    const effect = count(isReading(given[1]) ? "openToRead" : "open", file, false);
    if (effect !== undefined) failNow(effect, "open", file, undefined);
    const fd = original.apply(fs, given) as number;
    openFiles.set(fd, file);
    return fd;
  });
  patch(fs, "closeSync", (original) => (...given) => {
    openFiles.delete(given[0] as number);
    return original.apply(fs, given);
  });
  patch(fs, "writeSync", (original) => (...given) => {
    const file = openFiles.get(given[0] as number) ?? "";
    const effect = count("write", file, true);
    if (effect !== undefined) failNow(effect, "write", file, () => rawWriteSync(given[0] as number, halfOf(given[1])));
    return original.apply(fs, given);
  });
  for (const name of ["fsync", "fdatasync"]) {
    patch(fs, name, (original) => (...given) => {
      const file = openFiles.get(given[0] as number) ?? "";
      const effect = count(name, file, false);
      const done = given[1] as (error: Error | null) => void;
      if (effect === undefined) return original.apply(fs, given);
      try {
        failNow(effect, name, file, undefined);
      } catch (error) {
        setImmediate(done, error as Error);
      }
      return undefined;
    });
  }
}

patchPromises();
patchSync();
syncBuiltinESMExports();
