/**
 * Follows a stream that another program writes. Reads from the last offset; a line counts once its newline is there.
 */
import { createJsonLineReader } from "../../../../src/kit/io/json-lines.ts";
import * as kingdom from "../../format/kingdom.ts";
import { openTreeFile, readBytes } from "../files/tree-file.ts";

/** Limit of one read; a stream that grows faster catches up with the next reads. */
const READ_BYTES_MAX = 1024 * 1024;
const LINE_BYTES_MAX = 4 * 1024 * 1024;

export interface StreamUpdate {
  readonly text: string;
  /** The file was replaced or truncated: earlier text is void. */
  readonly hasRestarted: boolean;
  readonly hasGrown: boolean;
  /** True when there is more to read at once. */
  readonly hasMore: boolean;
  readonly mtimeMs: number;
}

export class ExternalStream {
  readonly #file: string;
  #ino = 0;
  #offset = 0;
  #text: string[] = [];
  #lines = this.#fresh();

  constructor(file: string) {
    this.#file = file;
  }

  /** Undefined when it is gone. Throws `UnreadableFile`. */
  async read(): Promise<StreamUpdate | undefined> {
    const opened = await openTreeFile(this.#file, { areLinksFollowed: false });
    if (opened === undefined) return undefined;
    const { handle } = opened;
    try {
      const { ino, size, mtimeMs } = opened.stats;
      const hasRestarted = this.#ino !== 0 && (ino !== this.#ino || size < this.#offset);
      if (hasRestarted) this.#restart();
      this.#ino = ino;
      const bytes = await readBytes(opened, Math.min(READ_BYTES_MAX, size - this.#offset), this.#offset);
      this.#offset += bytes.length;
      this.#lines.push(bytes);
      const text = this.#text.join("");
      this.#text = [];
      return { text, hasRestarted, hasGrown: bytes.length > 0, hasMore: this.#offset < size, mtimeMs };
    } finally {
      await handle.close();
    }
  }

  /** Its text so far is already known; only new text counts. */
  async skip(): Promise<void> {
    this.#restart();
    const opened = await openTreeFile(this.#file, { areLinksFollowed: false });
    if (opened === undefined) return;
    this.#ino = opened.stats.ino;
    this.#offset = opened.stats.size;
    await opened.handle.close();
  }

  #restart(): void {
    this.#offset = 0;
    this.#text = [];
    this.#lines = this.#fresh();
  }

  #fresh() {
    const reader = kingdom.createStreamReader();
    return createJsonLineReader({
      onValue: (line) => void this.#text.push(reader.read(line)),
      // Noise between a program's lines; the final text is in its message.
      onBad: () => {},
      lineBytesMax: LINE_BYTES_MAX,
    });
  }
}
