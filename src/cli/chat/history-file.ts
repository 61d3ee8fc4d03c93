/**
 * `input_history.txt`: texts the user sent or discarded, one JSON string per line, oldest first, for all sessions and
 * screens. Each line is appended with one write, so several screens can write at once; unreadable lines are skipped.
 * Beyond its limit the file is replaced by its newest part.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { openOwnFile } from "../../kit/files/own-file.ts";

export const HISTORY_LINES_MAX = 10_000;
export const HISTORY_BYTES_MAX = 2 * 1024 * 1024;
/** Longer texts are kept in memory only. */
export const HISTORY_LINE_BYTES_MAX = 256 * 1024;
/** Trimmed below the limit, so that trimming is rare. */
const TRIMMED_SHARE = 0.75;
/** Only the end of an oversized file is read. */
const READ_BYTES_MAX = 4 * HISTORY_BYTES_MAX;
/** Trimming takes milliseconds; a lock this old was left by a crash. */
const STALE_LOCK_MS = 60_000;
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR;

/** Implements the screen's history port. */
export interface HistoryFile {
  load(): Promise<readonly string[]>;
  add(text: string): void;
  /** Resolves when no trimming is under way. */
  settled(): Promise<void>;
}

export function createHistoryStore(dataDir: string, { warn }: { warn?: (text: string) => void } = {}): HistoryFile {
  return new HistoryOnDisk(join(dataDir, "input_history.txt"), warn ?? (() => {}));
}

class HistoryOnDisk implements HistoryFile {
  readonly #path: string;
  readonly #warn: (text: string) => void;
  readonly #warnedOf = new Set<string>();
  #lineCount = 0;
  #trimming: Promise<void> | undefined;

  constructor(path: string, warn: (text: string) => void) {
    this.#path = path;
    this.#warn = warn;
  }

  load(): Promise<readonly string[]> {
    return Promise.resolve(this.#read());
  }

  #read(): readonly string[] {
    try {
      const { lines, size } = readEnd(this.#path);
      this.#lineCount = lines.length;
      this.#trimWhenLong(size);
      return lines.slice(-HISTORY_LINES_MAX).flatMap((line) => readLine(line));
    } catch (error) {
      if (!isMissing(error)) this.#fail("read", error);
      return [];
    }
  }

  add(text: string): void {
    const line = `${JSON.stringify(text)}\n`;
    if (Buffer.byteLength(line) > HISTORY_LINE_BYTES_MAX) {
      this.#warnOnce("long", "This text is too long for the history file; it is remembered until you quit.");
      return;
    }
    try {
      this.#lineCount += 1;
      this.#trimWhenLong(append(this.#path, line));
    } catch (error) {
      this.#fail("written", error);
    }
  }

  async settled(): Promise<void> {
    await this.#trimming;
  }

  #trimWhenLong(size: number): void {
    if (this.#trimming !== undefined || (size <= HISTORY_BYTES_MAX && this.#lineCount <= HISTORY_LINES_MAX)) return;
    this.#trimming = trim(this.#path)
      .then((count) => void (this.#lineCount = count))
      .catch((error: unknown) => this.#fail("shortened", error))
      .finally(() => void (this.#trimming = undefined));
  }

  #fail(action: string, error: unknown): void {
    const sentence = `The history ${this.#path} cannot be ${action} (${codeOf(error)}); it is remembered until you quit.`;
    this.#warnOnce("disk", sentence);
  }

  /** Once per kind, or a full disk would warn at every message. */
  #warnOnce(about: string, sentence: string): void {
    if (this.#warnedOf.has(about)) return;
    this.#warnedOf.add(about);
    this.#warn(sentence);
  }
}

/** Returns the size of the file afterwards. */
function append(path: string, line: string): number {
  const file = openOwnFile(path, APPEND, { mode: 0o600 });
  try {
    fchmodSync(file, 0o600);
    const { size } = fstatSync(file);
    // After an incomplete line, left by a full disk or a power cut, start a new one.
    const start = size > 0 && readAt(file, size - 1, 1).toString("latin1") !== "\n" ? "\n" : "";
    const bytes = Buffer.from(start + line);
    if (writeSync(file, bytes) < bytes.length) throw new Error("disk full");
    return size + bytes.length;
  } finally {
    closeSync(file);
  }
}

/** Keeps the newest part and resolves with its line count. Lines appended meanwhile are preserved. */
async function trim(path: string): Promise<number> {
  const lock = `${path}.lock`;
  if (!acquireLock(lock)) return 0;
  const file = openOwnFile(path);
  try {
    const { lines, size } = linesAtEnd(file);
    const remaining = newest(lines);
    await writeFileAtomic(path, remaining.map((line) => `${line}\n`).join(""));
    const late = fstatSync(file).size;
    if (late > size) for (const line of asLines(readAt(file, size, late - size))) append(path, `${line}\n`);
    return remaining.length;
  } finally {
    closeSync(file);
    rmSync(lock, { force: true });
  }
}

function acquireLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch {
    // Another screen is trimming, or died while trimming.
    try {
      if (Date.now() - statSync(lock).mtimeMs > STALE_LOCK_MS) rmSync(lock, { force: true });
    } catch {
      // Released meanwhile; the next text retries.
    }
    return false;
  }
}

function newest(lines: readonly string[]): string[] {
  const newestLines: string[] = [];
  let bytes = 0;
  for (const line of lines.toReversed()) {
    bytes += Buffer.byteLength(line) + 1;
    if (newestLines.length >= HISTORY_LINES_MAX * TRIMMED_SHARE || bytes > HISTORY_BYTES_MAX * TRIMMED_SHARE) break;
    if (readLine(line).length > 0) newestLines.push(line);
  }
  return newestLines.toReversed();
}

function readEnd(path: string): { lines: string[]; size: number } {
  const file = openOwnFile(path);
  try {
    return linesAtEnd(file);
  } finally {
    closeSync(file);
  }
}

function linesAtEnd(file: number): { lines: string[]; size: number } {
  const { size } = fstatSync(file);
  const start = Math.max(0, size - READ_BYTES_MAX);
  const lines = asLines(readAt(file, start, size - start));
  return { lines: start > 0 ? lines.slice(1) : lines, size };
}

function asLines(bytes: Buffer): string[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

/** Undefined for a damaged line. */
function readLine(line: string): string[] {
  if (Buffer.byteLength(line) > HISTORY_LINE_BYTES_MAX) return [];
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === "string" && text !== "" ? [text] : [];
  } catch {
    // Cut by a crash or edited by hand.
    return [];
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
