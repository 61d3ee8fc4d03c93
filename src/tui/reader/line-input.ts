/**
 * Lines from a terminal in its own line mode, or from a pipe. The terminal echoes and edits; nothing is drawn here.
 * A line that ends in a backslash goes on in the next one.
 */
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** A message of more characters than this is not taken. */
export const MESSAGE_CHARS_MAX = 4 * 1024 * 1024;
/** More lines than these wait in the pipe. */
const LINES_WAITING_MAX = 1_000;

export interface LineListener<Stamp> {
  /** Called when the first piece of a message came; what it returns is handed on with the message. */
  readonly stamp: () => Stamp;
  readonly onMessage: (text: string, stamp: Stamp) => void;
  readonly onTooLong: () => void;
  /** After the last message. */
  readonly onEnd: () => void;
  readonly waitingCount: () => number;
}

export interface LineInput {
  /** Some of the lines that waited were taken. */
  taken(): void;
  stop(): void;
}

export function listenForLines<Stamp>(input: Readable, listener: LineListener<Stamp>): LineInput {
  const decoder = new StringDecoder("utf8");
  let begun: { parts: string[]; chars: number; stamp: Stamp } | undefined;
  let partial = "";
  let isTooLong = false;
  let isOver = false;

  function onData(data: Buffer | string): void {
    const [first = "", ...rest] = (typeof data === "string" ? data : decoder.write(data)).split("\n");
    grow(first);
    for (const piece of rest) {
      endLine();
      grow(piece);
    }
    if (listener.waitingCount() > LINES_WAITING_MAX) input.pause();
  }

  function grow(piece: string): void {
    if (piece === "") return;
    begun ??= { parts: [], chars: 0, stamp: listener.stamp() };
    if (begun.chars + partial.length + piece.length > MESSAGE_CHARS_MAX) isTooLong = true;
    partial = isTooLong ? piece.slice(-2) : partial + piece;
  }

  function endLine(): void {
    const line = partial.endsWith("\r") ? partial.slice(0, -1) : partial;
    partial = "";
    begun ??= { parts: [], chars: 0, stamp: listener.stamp() };
    if (line.endsWith("\\")) {
      if (!isTooLong) begun.parts.push(line.slice(0, -1));
      begun.chars += line.length;
      return;
    }
    const { parts, stamp } = begun;
    begun = undefined;
    if (!isTooLong) listener.onMessage([...parts, line].join("\n"), stamp);
    else listener.onTooLong();
    isTooLong = false;
  }

  function onEnd(): void {
    if (isOver) return;
    isOver = true;
    grow(decoder.end());
    if (partial !== "" || begun !== undefined) {
      partial = partial.replace(/\\$/, "");
      endLine();
    }
    listener.onEnd();
  }

  input.on("data", onData);
  input.on("end", onEnd);
  input.on("close", onEnd);
  // A terminal that was hung up cannot be read; for us that is its end.
  input.on("error", onEnd);
  return {
    taken() {
      if (input.isPaused() && listener.waitingCount() < LINES_WAITING_MAX / 2) input.resume();
    },
    stop() {
      isOver = true;
      input.off("data", onData);
      input.pause();
    },
  };
}
