/**
 * Line input and output of the screen reader. The terminal stays in line mode and echoes; nothing is drawn. A trailing
 * backslash continues the line.
 */
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { terminalSafe, terminalSafeLine } from "../../kit/text/terminal-safe.ts";

const INDENT = "  ";

/** Longer messages are rejected. */
export const MESSAGE_CHARS_MAX = 4 * 1024 * 1024;

/** Further lines wait in the pipe. */
const LINES_WAITING_MAX = 1_000;

export interface LineListener<Stamp> {
  /** Called at the first chunk of a message; its result is passed on with the message. */
  readonly stamp: () => Stamp;
  readonly onMessage: (text: string, stamp: Stamp) => void;
  readonly onTooLong: () => void;
  /** After the last message. */
  readonly onEnd: () => void;
  readonly waitingCount: () => number;
}

export interface LineInput {
  /** Some waiting lines were handled. */
  drained(): void;
  stop(): void;
}

/** Assembles messages from chunks. */
class Messages<Stamp> {
  readonly #listener: LineListener<Stamp>;
  #begun: { readonly chunks: string[]; chars: number; readonly stamp: Stamp } | undefined;
  #partial = "";
  #isTooLong = false;

  constructor(listener: LineListener<Stamp>) {
    this.#listener = listener;
  }

  push(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.#grow(first);
    for (const chunk of rest) {
      this.#endLine();
      this.#grow(chunk);
    }
  }

  /** Completes a partial message. */
  end(): void {
    if (this.#begun === undefined) return;
    this.#partial = this.#partial.replace(/\\$/, "");
    this.#endLine();
  }

  #begin(): { readonly chunks: string[]; chars: number; readonly stamp: Stamp } {
    this.#begun ??= { chunks: [], chars: 0, stamp: this.#listener.stamp() };
    return this.#begun;
  }

  #grow(chunk: string): void {
    if (chunk === "") return;
    const { chars } = this.#begin();
    if (chars + this.#partial.length + chunk.length > MESSAGE_CHARS_MAX) this.#isTooLong = true;
    // The end still tells whether the message continues.
    this.#partial = this.#isTooLong ? chunk.slice(-2) : this.#partial + chunk;
  }

  #endLine(): void {
    const begun = this.#begin();
    const line = this.#partial.endsWith("\r") ? this.#partial.slice(0, -1) : this.#partial;
    this.#partial = "";
    if (line.endsWith("\\")) {
      if (!this.#isTooLong) begun.chunks.push(line.slice(0, -1));
      begun.chars += line.length;
      return;
    }
    this.#begun = undefined;
    if (this.#isTooLong) this.#listener.onTooLong();
    else this.#listener.onMessage([...begun.chunks, line].join("\n"), begun.stamp);
    this.#isTooLong = false;
  }
}

export function listenForLines<Stamp>(input: Readable, listener: LineListener<Stamp>): LineInput {
  const decoder = new StringDecoder("utf8");
  const messages = new Messages(listener);
  let isOver = false;

  function onData(data: Buffer | string): void {
    messages.push(typeof data === "string" ? data : decoder.write(data));
    if (listener.waitingCount() > LINES_WAITING_MAX) input.pause();
  }

  function onEnd(): void {
    if (isOver) return;
    isOver = true;
    messages.push(decoder.end());
    messages.end();
    listener.onEnd();
  }

  input.on("data", onData);
  input.on("end", onEnd);
  input.on("close", onEnd);
  // A terminal that was hung up cannot be read; treat it as end of input.
  input.on("error", onEnd);
  return {
    drained() {
      if (!isOver && input.isPaused() && listener.waitingCount() < LINES_WAITING_MAX / 2) input.resume();
    },
    stop() {
      isOver = true;
      input.off("data", onData);
      input.pause();
    },
  };
}

/**
 * Appends lines only: no cursor movement, no line written twice. Untrusted text is sanitised here. Quoted text is
 * indented and our own lines never are, so that no member can forge one.
 */
export interface LineOutput {
  /** One line of our own. */
  write(text: string): void;
  /** Quoted text as written, without blank lines at either end. */
  quote(text: string): void;
  /** Rows that are indented already; styling is removed. */
  rows(rows: readonly string[]): void;
}

export function createLineOutput(write: (text: string) => void): LineOutput {
  return {
    write: (text) => write(`${terminalSafeLine(text).trimStart()}\n`),
    quote(text) {
      const lines = terminalSafe(text)
        .replace(/^(?:[ \t]*\n)+/, "")
        .trimEnd();
      if (lines === "") return;
      write(
        lines
          .split("\n")
          .map((line) => (line === "" ? "\n" : `${INDENT}${line}\n`))
          .join(""),
      );
    },
    rows: (rows) => write(rows.map((row) => `${terminalSafe(row)}\n`).join("")),
  };
}
