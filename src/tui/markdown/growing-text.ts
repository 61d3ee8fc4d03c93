/** Untrusted text that mostly grows at its end: only what is new is made safe, with the same result as all at once. */
import { createTerminalSafe, type TerminalSafe } from "../../kit/text/terminal-safe.ts";

const TAB = "    ";

export interface Growth {
  /** True when the text before is void; `added` is then all of it. */
  readonly isReset: boolean;
  readonly added: string;
}

export class GrowingText {
  #consumed = "";
  #safe: TerminalSafe = createTerminalSafe();

  grow(text: string): Growth {
    const isReset = !text.startsWith(this.#consumed);
    if (isReset) this.#safe = createTerminalSafe();
    const suffix = isReset ? text : text.slice(this.#consumed.length);
    this.#consumed = text;
    return { isReset, added: this.#safe.push(suffix).replaceAll("\t", TAB) };
  }
}
