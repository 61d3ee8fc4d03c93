/**
 * Lines of a file written by another program. The file is only read. Guarantees: memory is bounded whatever the file
 * contains; an unreadable line is reported and the next one is read; a file beyond the limit is reported. Compressed
 * files (`.zst`) are decompressed.
 */
import { createReadStream } from "node:fs";
import { createZstdDecompress } from "node:zlib";
import { createByteLines, type ByteLines } from "../../kit/io/json-lines.ts";
import * as sessionFiles from "./builder/session-files.ts";

const MIB = 1024 * 1024;
const HEAD_CHARS = 80;

export interface ReadLimits {
  readonly lineBytes: number;
  readonly lines: number;
  readonly fileBytes: number;
  /** Of lines held in memory. */
  readonly storedBytes: number;
  /** Damaged lines that are reported one by one. */
  readonly damaged: number;
}

export const READ_LIMITS: ReadLimits = {
  lineBytes: 32 * MIB,
  lines: 2_000_000,
  fileBytes: 2048 * MIB,
  storedBytes: 256 * MIB,
  damaged: 1_000,
};

export interface ReadLinesOptions {
  readonly path: string;
  /** Name of the file in notices. */
  readonly name: string;
  /** The part of a line to keep; undefined for nothing, DAMAGED for an unreadable line. Must not throw. */
  readonly select: (value: unknown) => unknown;
  readonly limits?: ReadLimits;
}

/** Rejects when the file cannot be opened or decompressed at all. */
export async function readLines(options: ReadLinesOptions): Promise<sessionFiles.SourceFile> {
  const { path, name, limits = READ_LIMITS } = options;
  const collector = new Collector(options.select, limits);
  const file = createReadStream(path, { highWaterMark: MIB });
  const bytes = path.endsWith(".zst") ? file.pipe(createZstdDecompress()) : file;
  // A read error does not propagate through a pipe.
  file.on("error", (error) => bytes.destroy(error));
  try {
    for await (const chunk of bytes) {
      if (!collector.push(chunk as Buffer)) break;
    }
  } catch (error) {
    if (!collector.hasRead) throw error;
    collector.breakOff(error instanceof Error ? error.message : String(error));
  } finally {
    file.destroy();
  }
  collector.end();
  return { name, lines: collector.lines, damaged: collector.damaged };
}

class Collector {
  readonly lines: sessionFiles.SourceLine[] = [];
  readonly damaged: sessionFiles.DamagedLine[] = [];
  readonly #select: ReadLinesOptions["select"];
  readonly #limits: ReadLimits;
  readonly #splitter: ByteLines;
  #number = 0;
  #fileBytes = 0;
  #storedBytes = 0;
  #unnamed = 0;
  #isOver = false;

  constructor(select: ReadLinesOptions["select"], limits: ReadLimits) {
    this.#select = select;
    this.#limits = limits;
    this.#splitter = createByteLines({
      lineBytesMax: limits.lineBytes,
      onLine: (line, isEnded) => this.#handleLine(line, isEnded),
      onTooLong: ({ bytes }) => {
        if (this.#countLine()) this.#damage(this.#number, `is too long (${bytes} bytes) and is not shown`);
      },
    });
  }

  get hasRead(): boolean {
    return this.#fileBytes > 0;
  }

  /** False when no more is accepted. */
  push(chunk: Buffer): boolean {
    this.#fileBytes += chunk.length;
    this.#splitter.push(chunk);
    if (this.#fileBytes > this.#limits.fileBytes) this.#stop("the file exceeds the size limit");
    return !this.#isOver;
  }

  breakOff(reason: string): void {
    this.#damage(this.#number + 1, `and all after it cannot be read (${reason})`);
    this.#isOver = true;
  }

  /** A last line without a newline may be complete or half written. */
  end(): void {
    this.#splitter.end();
    if (this.#unnamed > 0) {
      this.damaged.push({ number: this.#number, what: `is the last of ${this.#unnamed} more that cannot be read` });
    }
  }

  /** False when the line is not read because a limit was reached. */
  #countLine(): boolean {
    if (this.#isOver) return false;
    this.#number += 1;
    if (this.#number > this.#limits.lines) this.#stop("the file has too many lines");
    return !this.#isOver;
  }

  #handleLine(line: Uint8Array, isWhole: boolean): void {
    if (!this.#countLine()) return;
    const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString("utf8");
    if (text.trim() === "") return;
    const value = parse(text);
    if (value !== undefined && this.#accept(value, line.length)) return;
    const isFormed = value !== undefined;
    const what = isFormed ? "is not in the format of its program" : isWhole ? "is damaged" : "is not finished";
    this.#damage(this.#number, `${what} and is not shown: ${JSON.stringify(text.slice(0, HEAD_CHARS).toWellFormed())}`);
  }

  /** False for a line of another format. */
  #accept(value: unknown, bytes: number): boolean {
    const selected = this.#select(value);
    if (selected === sessionFiles.DAMAGED) return false;
    if (selected !== undefined) this.#store(selected, bytes);
    return true;
  }

  #store(selected: unknown, bytes: number): void {
    this.#storedBytes += bytes;
    if (this.#storedBytes > this.#limits.storedBytes) return this.#stop("the conversation exceeds the size limit");
    this.lines.push({ number: this.#number, value: selected });
  }

  #stop(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#damage(this.#number, `and all after it are left out: ${why}`);
  }

  #damage(number: number, what: string): void {
    if (this.damaged.length < this.#limits.damaged) this.damaged.push({ number, what });
    else this.#unnamed += 1;
  }
}

function parse(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? undefined;
  } catch {
    // Reported by the caller, with the line number.
    return undefined;
  }
}
