/**
 * `.stream-<member>.jsonl` of a local member. Its first line identifies the writer, and the file appears together with
 * that line, so a leftover of a crash is recognised as ours and a stream of another program is never touched.
 * Chat screens delete every stream when they start; it is then written again, with the text so far.
 */
import { statSync, unlinkSync } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import * as kingdom from "../format/kingdom.ts";
import { ignoreMissing } from "./files/error-code.ts";
import { openTreeFile, readBytes, UnreadableFile } from "./files/tree-file.ts";
import { removeTempFile, linkIfAbsent, writeTempFile } from "./files/atomic-file.ts";

const HEAD_BYTES = 4_096;
/** Repeated when the stream is recreated; longer text is in the message. */
const REPEATED_CHARS_MAX = 1024 * 1024;

export interface StreamTarget {
  readonly dir: string;
  /** The member as files call it. */
  readonly sender: string;
  readonly sessionId: string;
  readonly turnId: string;
}

export class OwnStream {
  readonly #target: StreamTarget;
  readonly #file: string;
  #handle: FileHandle;
  #ino: number;
  #written = "";
  #isOver = false;
  #isBroken = false;

  private constructor(target: StreamTarget, { handle, ino }: Begun) {
    this.#target = target;
    this.#file = fileOf(target);
    this.#handle = handle;
    this.#ino = ino;
  }

  /** Undefined when another program streams this member there. */
  static async open(target: StreamTarget): Promise<OwnStream | undefined> {
    const begun = await begin(target, "");
    return begun === undefined ? undefined : new OwnStream(target, begun);
  }

  /** True after an error: a partial line may be in it, so the file is started again. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  async append(lines: string): Promise<void> {
    if (this.#isOver) return;
    const written = this.#written;
    if (written.length + lines.length <= REPEATED_CHARS_MAX) this.#written += lines;
    const wasBroken = this.#isBroken;
    this.#isBroken = true;
    if (wasBroken) this.#remove();
    if ((await stat(this.#file).catch(ignoreMissing)) === undefined) await this.#beginAgain(written);
    await this.#handle.appendFile(lines);
    this.#isBroken = false;
  }

  /**
   * Removes it synchronously, because its message replaces it: screens that find both show the text twice.
   * A stream of another program stays.
   */
  discard(): void {
    this.#isOver = true;
    this.#remove();
  }

  #remove(): void {
    try {
      if (statSync(this.#file).ino === this.#ino) unlinkSync(this.#file);
    } catch (error) {
      ignoreMissing(error);
    }
  }

  /** Throws when it could not be removed; may be called again. */
  async close(): Promise<void> {
    await this.#handle.close();
    this.discard();
  }

  async #beginAgain(written: string): Promise<void> {
    const begun = await begin(this.#target, written);
    if (begun === undefined) return;
    await this.#handle.close();
    this.#handle = begun.handle;
    this.#ino = begun.ino;
  }
}

interface Begun {
  readonly handle: FileHandle;
  readonly ino: number;
}

function fileOf({ dir, sender }: StreamTarget): string {
  return path.join(dir, kingdom.streamFileName(sender));
}

async function begin(target: StreamTarget, written: string): Promise<Begun | undefined> {
  const { dir, sessionId, turnId } = target;
  const file = fileOf(target);
  const head = kingdom.encodeStreamHead(sessionId, turnId);
  const temporary = await writeTempFile(dir, sessionId, head + written, { isSynced: false });
  try {
    if (!(await linkIfAbsent(temporary, file))) return undefined;
  } finally {
    await removeTempFile(temporary);
  }
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "a");
    return { handle, ino: (await handle.stat()).ino };
  } catch (error) {
    await handle?.close();
    // A stream without a writer would never be removed.
    await removeTempFile(file);
    throw error;
  }
}

/**
 * The session that writes this stream; undefined for another program's or an invalid one. Throws `UnreadableFile` while
 * unknown: our own stream must not be mistaken for another program's.
 */
export async function streamOwner(file: string): Promise<string | undefined> {
  const [line, rest] = (await headOf(file)).split("\n", 2);
  if (rest === undefined) return undefined;
  try {
    return kingdom.decodeStreamHead(JSON.parse(line ?? ""))?.sessionId;
  } catch {
    // Not JSON, so not ours.
    return undefined;
  }
}

async function headOf(file: string): Promise<string> {
  try {
    const opened = await openTreeFile(file, { areLinksFollowed: false });
    if (opened === undefined) return "";
    try {
      return (await readBytes(opened, HEAD_BYTES)).toString("utf8");
    } finally {
      await opened.handle.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile && !error.isPassing) return "";
    throw error;
  }
}
