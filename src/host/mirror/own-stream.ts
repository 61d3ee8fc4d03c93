/**
 * `.stream-<member>.jsonl` of a member that speaks here. Its first line says whose it is, and it appears together with
 * that line, so a stream that a cut left behind is known for ours and one of another program is never touched.
 * Chat screens clear away every stream when they start: then it is put there again, with what was said so far.
 */
import { statSync, unlinkSync } from "node:fs";
import { link, open, stat, unlink, writeFile, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { newId } from "../../kit/ids.ts";
import { kingdom } from "../../wires/index.ts";
import { codeOf, ignoreMissing } from "./thread-directory.ts";
import { openTreeFile, readBytes } from "./tree-file.ts";

const HEAD_BYTES = 4_096;
/** Repeated when the stream must be begun again; what is said beyond it is in the message. */
const REPEATED_CHARS_MAX = 1024 * 1024;

export interface StreamPlace {
  readonly dir: string;
  /** The member as files call it. */
  readonly sender: string;
  readonly sessionId: string;
  readonly turnId: string;
}

export class OwnStream {
  readonly #place: StreamPlace;
  readonly #file: string;
  #handle: FileHandle;
  #ino: number;
  #said = "";
  #isOver = false;

  private constructor(place: StreamPlace, { handle, ino }: Begun) {
    this.#place = place;
    this.#file = fileOf(place);
    this.#handle = handle;
    this.#ino = ino;
  }

  /** Undefined when another program streams this member there. */
  static async open(place: StreamPlace): Promise<OwnStream | undefined> {
    const begun = await begin(place, "");
    return begun === undefined ? undefined : new OwnStream(place, begun);
  }

  async append(lines: string): Promise<void> {
    if (this.#isOver) return;
    if ((await stat(this.#file).catch(ignoreMissing)) === undefined) await this.#beginAgain();
    await this.#handle.appendFile(lines);
    if (this.#said.length + lines.length <= REPEATED_CHARS_MAX) this.#said += lines;
  }

  /**
   * Removes it at once, because its message takes its place now: screens that find both show the stream a second time.
   * One that another program has put there stays.
   */
  takeAway(): void {
    this.#isOver = true;
    try {
      if (statSync(this.#file).ino === this.#ino) unlinkSync(this.#file);
    } catch (error) {
      ignoreMissing(error);
    }
  }

  async close(): Promise<void> {
    this.takeAway();
    await this.#handle.close();
  }

  async #beginAgain(): Promise<void> {
    const begun = await begin(this.#place, this.#said);
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

function fileOf({ dir, sender }: StreamPlace): string {
  return path.join(dir, kingdom.streamFileName(sender));
}

async function begin(place: StreamPlace, said: string): Promise<Begun | undefined> {
  const { dir, sessionId, turnId } = place;
  const file = fileOf(place);
  const temporary = path.join(dir, `.roundtable-${sessionId}-${newId()}.tmp`);
  await writeFile(temporary, kingdom.encodeStreamHead(sessionId, turnId) + said, { flag: "wx" });
  try {
    await link(temporary, file);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    throw error;
  } finally {
    await unlink(temporary).catch(ignoreMissing);
  }
  const handle = await open(file, "a");
  return { handle, ino: (await handle.stat()).ino };
}

/** The session that writes this stream; undefined for another program's, and for what is no stream. */
export async function streamOwner(file: string): Promise<string | undefined> {
  const found = await openTreeFile(file, { areLinksFollowed: false }).catch(() => undefined);
  if (found === undefined) return undefined;
  try {
    const [line, rest] = (await readBytes(found, HEAD_BYTES)).toString("utf8").split("\n", 2);
    return rest === undefined ? undefined : kingdom.decodeStreamHead(JSON.parse(line ?? ""))?.sessionId;
  } catch {
    // Not JSON, so not ours.
    return undefined;
  } finally {
    await found.handle.close();
  }
}
