/**
 * `.stream-<member>.jsonl` of a member that speaks here. Its first line says whose it is, and it appears together with
 * that line, so a stream that a cut left behind is known for ours and one of another program is never touched.
 */
import { link, open, stat, unlink, writeFile, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { newId } from "../../kit/ids.ts";
import { kingdom } from "../../wires/index.ts";
import { codeOf, ignoreMissing } from "./thread-directory.ts";

const HEAD_BYTES = 4_096;

export interface StreamPlace {
  readonly dir: string;
  /** The member as files call it. */
  readonly sender: string;
  readonly sessionId: string;
  readonly turnId: string;
}

export class OwnStream {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #ino: number;

  private constructor(file: string, handle: FileHandle, ino: number) {
    this.#file = file;
    this.#handle = handle;
    this.#ino = ino;
  }

  /** Undefined when another program streams this member there. */
  static async open({ dir, sender, sessionId, turnId }: StreamPlace): Promise<OwnStream | undefined> {
    const file = path.join(dir, kingdom.streamFileName(sender));
    const temporary = path.join(dir, `.roundtable-${sessionId}-${newId()}.tmp`);
    await writeFile(temporary, kingdom.encodeStreamHead(sessionId, turnId), { flag: "wx" });
    try {
      await link(temporary, file);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return undefined;
      throw error;
    } finally {
      await unlink(temporary).catch(ignoreMissing);
    }
    const handle = await open(file, "a");
    return new OwnStream(file, handle, (await handle.stat()).ino);
  }

  async append(lines: string): Promise<void> {
    await this.#handle.appendFile(lines);
  }

  /** Removes it, unless another program has put its own in the place. */
  async close(): Promise<void> {
    await this.#handle.close();
    const found = await stat(this.#file).catch(ignoreMissing);
    if (found?.ino === this.#ino) await unlink(this.#file).catch(ignoreMissing);
  }
}

/** The session that writes this stream; undefined for another program's. */
export async function streamOwner(file: string): Promise<string | undefined> {
  const handle = await open(file, "r").catch(ignoreMissing);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [line, rest] = buffer.subarray(0, bytesRead).toString("utf8").split("\n", 2);
    return rest === undefined ? undefined : kingdom.decodeStreamHead(JSON.parse(line ?? ""))?.sessionId;
  } catch {
    // Not JSON, so not ours.
    return undefined;
  } finally {
    await handle.close();
  }
}
