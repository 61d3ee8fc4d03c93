/**
 * Writes headers, lines and streamed bodies so that they never run into each other.
 * Empty lines at either end of a body are left out, so a streamed answer looks like a replayed one.
 * A body line that looks like a header is moved in by a space: no member can speak in another's name.
 */
import { createTerminalSafe, terminalSafeLine, type TerminalSafe } from "../../kit/text/terminal-safe.ts";

/** Starts every header and nothing else. */
export const SPEAKER_MARK = "●";

export class LineWriter {
  readonly #write: (text: string) => void;
  #last: "nothing" | "header" | "line" | "body" = "nothing";
  #open: OpenBody | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Opens a speaker's part, after a blank line. `styled` is ours; names in it were checked or made safe before. */
  header(styled: string): void {
    this.endBody();
    this.#write(`${this.#last === "nothing" ? "" : "\n"}${styled}\n`);
    this.#last = "header";
  }

  /** One line of ours about what happens; `style` is applied after the text was made safe. */
  line(text: string, style: (text: string) => string): void {
    this.endBody();
    this.#write(`${this.#last === "body" ? "\n" : ""}${style(terminalSafeLine(text))}\n`);
    this.#last = "line";
  }

  /** The next piece of a speaker's text. */
  body(text: string): void {
    this.#open ??= { safe: createTerminalSafe(), isBegun: false, newlines: 0 };
    this.#show(this.#open, this.#open.safe.push(text));
  }

  /** The body is complete; a further one is another paragraph. */
  endBody(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#show(open, open.safe.end());
    this.#open = undefined;
    if (open.isBegun) this.#write("\n");
  }

  #show(open: OpenBody, safe: string): void {
    let out = "";
    for (const [at, line] of safe.split("\n").entries()) {
      if (at > 0) open.newlines += 1;
      if (line === "") continue;
      const isLineStart = !open.isBegun || open.newlines > 0;
      if (open.isBegun) out += "\n".repeat(open.newlines);
      else if (this.#last === "line" || this.#last === "body") out += "\n";
      if (isLineStart && line.startsWith(SPEAKER_MARK)) out += " ";
      out += line;
      open.isBegun = true;
      open.newlines = 0;
      this.#last = "body";
    }
    if (out !== "") this.#write(out);
  }
}

interface OpenBody {
  readonly safe: TerminalSafe;
  isBegun: boolean;
  /** Seen but not written yet: they count only when a line follows. */
  newlines: number;
}
