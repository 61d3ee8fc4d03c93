/**
 * A disk in memory that can fail like a real one. It tells the page cache from what is on the platter: a kill keeps the
 * cache, a power cut loses or tears what was not synced, and a failed sync silently drops what it should have written.
 */
import { posix } from "node:path";
import type { FileFacts, FilePort, OpenFile } from "../../src/log/files/file-port.ts";

export type Operation =
  | "open"
  | "create"
  | "stat"
  | "rename"
  | "unlink"
  | "link"
  | "rmdir"
  | "mkdir"
  | "readdir"
  | "syncDirectory"
  | "write"
  | "overwrite"
  | "read"
  | "datasync"
  | "truncate"
  | "fstat"
  | "close";

export interface Fault {
  /** Hits the n-th operation (from 1) of these kinds; all kinds when left out. */
  readonly at: number;
  readonly operations?: readonly Operation[];
  readonly effect: { error: string } | "short-write" | "kill";
  /** Also hits every later one, until the fault is cleared. */
  readonly persistent?: boolean;
}

/** Everything throws this after a kill: the process is gone. */
export class Killed extends Error {}

interface Inode {
  readonly number: number;
  isDirectory: boolean;
  cache: Buffer;
  durable: Buffer;
  /** Ranges of the cache that a failed sync dropped: they look written and never will be. */
  dropped: { from: number; to: number }[];
}

type Entries = Map<string, Inode>;
type EntryChange = { readonly directory: string; apply(entries: Entries): void };

const PAGE_BYTES = 64;

export class MemoryFiles implements FilePort {
  fault: Fault | undefined;
  /** Space left on the device. */
  freeBytes = Infinity;
  /** While set, syncs wait for it. */
  syncGate: Promise<void> | undefined;
  isDead = false;
  readonly killed: Promise<void>;
  /** Operations so far, in order, to read in a failing test. */
  readonly trace: string[] = [];
  #die: () => void = () => undefined;
  #hits = 0;
  #faultCount = 0;
  #entries: Entries = new Map();
  #durableEntries: Entries = new Map();
  #unsyncedChanges: EntryChange[] = [];
  #nextNumber = 1;

  constructor() {
    this.killed = new Promise((resolve) => (this.#die = resolve));
    const root = this.#newInode(true);
    this.#entries.set("/", root);
    this.#durableEntries.set("/", root);
  }

  /** How often the fault has hit. */
  get hits(): number {
    return this.#hits;
  }

  /** The machine goes on, the process is gone: a new one finds what was written. */
  restart(): MemoryFiles {
    this.#kill();
    const next = new MemoryFiles();
    next.#entries = this.#entries;
    next.#durableEntries = this.#durableEntries;
    next.#unsyncedChanges = this.#unsyncedChanges;
    next.#nextNumber = this.#nextNumber;
    return next;
  }

  /** What a new process finds after the power was cut: anything between what was synced and what was written. */
  powerCut(random: () => number): MemoryFiles {
    this.#kill();
    const next = new MemoryFiles();
    const entries = new Map(this.#durableEntries);
    const kept = Math.floor(random() * (this.#unsyncedChanges.length + 1));
    for (const change of this.#unsyncedChanges.slice(0, kept)) change.apply(entries);
    for (const [path, inode] of entries) {
      // A copy: the same files may be looked at again, as another cut leaves them.
      const content = Buffer.from(inode.isDirectory ? inode.cache : afterPowerCut(inode, random));
      next.#entries.set(path, { ...inode, cache: content, durable: content, dropped: [] });
    }
    next.#durableEntries = new Map(next.#entries);
    next.#nextNumber = this.#nextNumber;
    return next;
  }

  /** For tests to look at and to damage: no operation is counted. */
  contentOf(path: string): Buffer | undefined {
    return this.#entries.get(path)?.cache;
  }

  paths(): string[] {
    return [...this.#entries.keys()].sort();
  }

  replaceContent(path: string, content: Buffer): void {
    const inode = this.#entries.get(path) ?? this.#newInode(false);
    inode.cache = content;
    inode.durable = content;
    this.#entries.set(path, inode);
    this.#durableEntries.set(path, inode);
  }

  /** As another program would, behind the log's back. */
  moveAway(from: string, to: string): void {
    for (const [path, inode] of Array.from(this.#entries)) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#entries.delete(path);
      this.#entries.set(to + path.slice(from.length), inode);
    }
  }

  openToRead(path: string): OpenFile {
    this.#enter("open", path);
    return this.#open(path, this.#existing(path));
  }

  openToAppend(path: string): OpenFile {
    this.#enter("open", path);
    return this.#open(path, this.#existing(path));
  }

  create(path: string, _mode: number): OpenFile {
    this.#enter("create", path);
    if (this.#entries.has(path)) throw systemError("EEXIST", `create ${path}`);
    if (!this.#entries.has(posix.dirname(path))) throw systemError("ENOENT", `create ${path}`);
    const inode = this.#newInode(false);
    this.#change(posix.dirname(path), (entries) => entries.set(path, inode));
    return this.#open(path, inode);
  }

  overwrite(path: string, position: number, bytes: Uint8Array): void {
    this.#enter("overwrite", path);
    const inode = this.#existing(path);
    inode.cache = Buffer.from(inode.cache);
    inode.cache.set(bytes, position);
    const end = position + bytes.length;
    inode.dropped = inode.dropped
      .flatMap(({ from, to }) => [
        { from, to: Math.min(to, position) },
        { from: Math.max(from, end), to },
      ])
      .filter(({ from, to }) => from < to);
  }

  stat(path: string): FileFacts | undefined {
    this.#enter("stat", path);
    const inode = this.#entries.get(path);
    return inode && factsOf(inode);
  }

  rename(from: string, to: string): void {
    this.#enter("rename", to);
    const inode = this.#existing(from);
    if (!this.#entries.has(posix.dirname(to))) throw systemError("ENOENT", `rename ${to}`);
    const under = this.paths().filter((path) => path.startsWith(`${to}/`));
    if (inode.isDirectory && under.length > 0) throw systemError("ENOTEMPTY", `rename ${to}`);
    this.#change(posix.dirname(to), (entries) => {
      for (const [path, moved] of Array.from(entries)) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        entries.delete(path);
        entries.set(to + path.slice(from.length), moved);
      }
      entries.set(to, inode);
    });
  }

  unlink(path: string): void {
    this.#enter("unlink", path);
    const inode = this.#existing(path);
    if (inode.isDirectory) throw systemError("EISDIR", `unlink ${path}`);
    this.freeBytes += inode.cache.length;
    this.#change(posix.dirname(path), (entries) => entries.delete(path));
  }

  link(from: string, to: string): void {
    this.#enter("link", to);
    const inode = this.#existing(from);
    if (this.#entries.has(to)) throw systemError("EEXIST", `link ${to}`);
    if (!this.#entries.has(posix.dirname(to))) throw systemError("ENOENT", `link ${to}`);
    this.#change(posix.dirname(to), (entries) => entries.set(to, inode));
  }

  rmdir(path: string): void {
    this.#enter("rmdir", path);
    this.#existing(path);
    if (this.paths().some((one) => one.startsWith(`${path}/`))) throw systemError("ENOTEMPTY", `rmdir ${path}`);
    this.#change(posix.dirname(path), (entries) => entries.delete(path));
  }

  mkdir(path: string): void {
    this.#enter("mkdir", path);
    if (this.#entries.has(path)) throw systemError("EEXIST", `mkdir ${path}`);
    const parent = posix.dirname(path);
    if (!this.#entries.has(parent)) throw systemError("ENOENT", `mkdir ${path}`);
    const inode = this.#newInode(true);
    this.#change(parent, (entries) => entries.set(path, inode));
  }

  readdir(path: string): string[] {
    this.#enter("readdir", path);
    return this.paths()
      .filter((one) => posix.dirname(one) === path)
      .map((one) => posix.basename(one));
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#enterAsync("syncDirectory", path);
    for (const change of this.#unsyncedChanges) if (change.directory === path) change.apply(this.#durableEntries);
    this.#unsyncedChanges = this.#unsyncedChanges.filter((change) => change.directory !== path);
  }

  #open(path: string, inode: Inode): OpenFile {
    return {
      write: (bytes) => {
        const isShort = this.#enter("write", path) === "short-write";
        const count = Math.min(isShort ? Math.floor(bytes.length / 2) : bytes.length, this.freeBytes);
        if (count === 0 && bytes.length > 0) throw systemError("ENOSPC", `write ${path}`);
        const from = inode.cache.length;
        inode.cache = Buffer.concat([inode.cache, bytes.subarray(0, count)]);
        inode.dropped = inode.dropped.filter((range) => range.to <= from);
        this.freeBytes -= count;
        return count;
      },
      read: async (into, position) => {
        await this.#enterAsync("read", path);
        return inode.cache.copy(into, 0, position);
      },
      datasync: async () => {
        const content = contentToSync(inode);
        const synced = inode.durable.length;
        try {
          await this.#enterAsync("datasync", path);
        } catch (error) {
          dropUnsynced(inode, { error, from: synced, to: content.length });
          throw error;
        }
        await this.syncGate;
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (!this.isDead) inode.durable = content;
      },
      truncate: (length) => {
        this.#enter("truncate", path);
        this.freeBytes += Math.max(0, inode.cache.length - length);
        inode.cache = Buffer.from(inode.cache.subarray(0, length));
        inode.dropped = inode.dropped.filter((range) => range.from < length);
      },
      stat: () => {
        this.#enter("fstat", path);
        return factsOf(inode);
      },
      close: () => {
        this.#enter("close", path);
      },
    };
  }

  /** Counts the operation and lets the fault hit it. */
  #enter(operation: Operation, path: string): "short-write" | undefined {
    if (this.isDead) throw new Killed();
    this.trace.push(`${operation} ${posix.basename(path)}`);
    const { fault } = this;
    if (fault === undefined || !(fault.operations?.includes(operation) ?? true)) return undefined;
    this.#faultCount++;
    if (fault.persistent === true ? this.#faultCount < fault.at : this.#faultCount !== fault.at) return undefined;
    this.#hits++;
    if (fault.effect === "kill") {
      this.#kill();
      throw new Killed();
    }
    if (fault.effect === "short-write") return operation === "write" ? "short-write" : undefined;
    throw systemError(fault.effect.error, `${operation} ${path}`);
  }

  async #enterAsync(operation: Operation, path: string): Promise<void> {
    try {
      this.#enter(operation, path);
    } catch (error) {
      // A dead process hears nothing more, not even an error.
      if (error instanceof Killed) await new Promise(() => undefined);
      throw error;
    }
  }

  #kill(): void {
    this.isDead = true;
    this.#die();
  }

  #existing(path: string): Inode {
    const inode = this.#entries.get(path);
    if (inode === undefined) throw systemError("ENOENT", path);
    return inode;
  }

  #newInode(isDirectory: boolean): Inode {
    return { number: this.#nextNumber++, isDirectory, cache: Buffer.alloc(0), durable: Buffer.alloc(0), dropped: [] };
  }

  #change(directory: string, apply: (entries: Entries) => void): void {
    apply(this.#entries);
    this.#unsyncedChanges.push({ directory, apply });
  }
}

function factsOf(inode: Inode): FileFacts {
  return { size: inode.cache.length, device: 1, inode: inode.number, isDirectory: inode.isDirectory };
}

function afterPowerCut(inode: Inode, random: () => number): Buffer {
  const written = Buffer.from(inode.cache);
  for (const { from, to } of inode.dropped) written.fill(0, from, to);
  if (random() < 0.3) return inode.durable;
  if (random() < 0.3) return written;
  const length = inode.durable.length + Math.floor(random() * (Math.max(0, written.length - inode.durable.length) + 1));
  const torn = Buffer.alloc(length);
  for (let page = 0; page < length; page += PAGE_BYTES) {
    const source = random() < 0.5 ? written : inode.durable;
    source.subarray(page, Math.min(page + PAGE_BYTES, length)).copy(torn, page);
  }
  inode.durable.copy(torn, 0, 0, Math.min(inode.durable.length, length));
  return torn;
}

function systemError(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}

function contentToSync(inode: Inode): Buffer {
  const content = Buffer.from(inode.cache);
  for (const { from, to } of inode.dropped) content.fill(0, from, to);
  return content;
}

/** The system could not write these pages and forgets about them. */
function dropUnsynced(inode: Inode, { error, from, to }: { error: unknown; from: number; to: number }): void {
  if (!(error instanceof Killed)) inode.dropped.push({ from, to });
}
