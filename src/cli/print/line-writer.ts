/**
 * Writes headers, lines and streamed bodies without running them together.
 * Empty lines at both ends of a body are dropped, so that a streamed answer looks like a replayed one.
 * A body line that looks like a header is indented by a space: no member can impersonate another.
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

  /** Starts a speaker's section after a blank line. `styled` is trusted; names in it were escaped before. */
  header(styled: string): void {
    this.endBody();
    this.#write(`${this.#last === "nothing" ? "" : "\n"}${styled}\n`);
    this.#last = "header";
  }

  /** One line of our own; `style` is applied after the text was escaped. */
  line(text: string, style: (text: string) => string): void {
    this.endBody();
    this.#write(`${this.#last === "body" ? "\n" : ""}${style(terminalSafeLine(text))}\n`);
    this.#last = "line";
  }

  /** The next chunk of a speaker's text. */
  body(text: string): void {
    this.#open ??= { safe: createTerminalSafe(), isBegun: false, newlines: 0 };
    this.#show(this.#open, this.#open.safe.push(text));
  }

  /** Ends the body; the next one is a new paragraph. */
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
  /** Pending empty lines: written only when a line follows. */
  newlines: number;
}
