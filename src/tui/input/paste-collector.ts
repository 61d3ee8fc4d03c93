/**
 * Takes bracketed pastes out of the keys, also when they come in pieces. Each piece is looked at once, so a paste of
 * many pieces costs no more than a whole one. A paste longer than the limit is cut there, and says so.
 */
export const PASTE_CHARS_MAX = 32 * 1024 * 1024;

const START = "\u001b[200~";
const END = "\u001b[201~";

export type InputChunk = { readonly keys: string } | { readonly paste: string; readonly isCut: boolean };

export class PasteCollector {
  #pasteChunks: string[] | undefined;
  #chars = 0;
  /** With what was cut off. */
  #total = 0;
  /** The end of the piece before: the closing mark may be cut in two. */
  #tail = "";

  get isOpen(): boolean {
    return this.#pasteChunks !== undefined;
  }

  /** What came with `data`, in its order. */
  push(data: string): InputChunk[] {
    const chunks: InputChunk[] = [];
    let rest = data;
    while (rest !== "") {
      if (this.#pasteChunks === undefined) {
        const start = rest.indexOf(START);
        const keys = start < 0 ? rest : rest.slice(0, start);
        if (keys !== "") chunks.push({ keys });
        if (start < 0) break;
        this.#pasteChunks = [];
        rest = rest.slice(start + START.length);
        continue;
      }
      const seen = this.#tail + rest;
      const end = seen.indexOf(END);
      if (end < 0) {
        this.#append(rest);
        this.#tail = seen.slice(1 - END.length);
        break;
      }
      const length = this.#total - this.#tail.length + end;
      this.#append(rest);
      const paste = this.#pasteChunks.join("").slice(0, length);
      chunks.push({ paste, isCut: paste.length < length });
      rest = seen.slice(end + END.length);
      this.#close();
    }
    return chunks;
  }

  /** A paste whose end got lost: what has come of it. */
  flush(): string {
    const paste = this.#pasteChunks?.join("") ?? "";
    this.#close();
    return paste;
  }

  #append(chunk: string): void {
    const room = Math.max(0, PASTE_CHARS_MAX - this.#chars);
    const accepted = chunk.slice(0, room);
    this.#pasteChunks?.push(accepted);
    this.#chars += accepted.length;
    this.#total += chunk.length;
  }

  #close(): void {
    this.#pasteChunks = undefined;
    this.#chars = 0;
    this.#total = 0;
    this.#tail = "";
  }
}
