/**
 * Lets the library read long pastes in time. Its reader looks through all that has come so far with every piece, so
 * 5 MB in the pieces of a terminal take many seconds in which no key is answered; here each piece is looked at once.
 * A paste whose end is lost is given up after a silence, or at a key that no paste holds, instead of swallowing every key
 * from then on.
 */
import { StdinBuffer } from "@earendil-works/pi-tui";
import { type Clock, systemClock } from "../../kit/clock.ts";

/**
 * Takes bracketed pastes out of the keys, also when they come in pieces. Each piece is looked at once, so a paste of
 * many pieces costs no more than a whole one. A paste longer than the limit is cut there, and says so.
 */
export const PASTE_CHARS_MAX = 32 * 1024 * 1024;

const START = "\u001b[200~";

const END = "\u001b[201~";

export const LOST_END_MS = 2_000;

/** A key that comes by itself after so long is no part of a text that is on its way. */
export const LONE_KEY_MS = 500;

/**
 * Ctrl and a letter, Backspace, a key or a move of the mouse that is written as a sequence. Not Enter, Tab or letters: in a
 * text that comes slowly they look the same. Not Escape alone: the mark of the end begins with it.
 */
// oxlint-disable-next-line no-control-regex -- controls are what is looked for.
const LONE_KEY = /^(?:[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\x1b\[(?!20[01]~)<?[\d;:]*[A-HIMOPQSZmu~]|\x1bO[A-Z])$/;

/** What is used of the library's reader beyond its public face; pinned like the editor's inside. */
interface ReaderInternals {
  pasteMode: boolean;
  pasteBuffer: string;
}

interface OpenPaste {
  readonly collector: PasteCollector;
  readonly lastInputAtMs: number;
  cancelWait(): void;
}

type Process = (this: StdinBuffer, data: string | Buffer) => void;

/** Where the library's own way is kept, so that it is replaced once however often this file is loaded. */
const OWN_WAY = Symbol.for("roundtable.paste-reader.own-way");

const prototype: { process: Process; [OWN_WAY]?: Process } = StdinBuffer.prototype;

/** For every reader of this process; calling it again changes nothing. */
export function usePasteReaderInLibrary(): void {
  if (prototype[OWN_WAY] !== undefined) return;
  prototype[OWN_WAY] = prototype.process;
  const read = createPasteReader(systemClock);
  prototype.process = function (data) {
    read(this, data);
  };
}

/** Everything that is not inside a paste is read in the library's own way. */
export function createPasteReader(clock: Clock): (reader: StdinBuffer, data: string | Buffer) => void {
  const open = new WeakMap<StdinBuffer, OpenPaste>();

  const leave = (reader: StdinBuffer): void => {
    open.get(reader)?.cancelWait();
    open.delete(reader);
    Object.assign(internalsOf(reader), { pasteMode: false, pasteBuffer: "" });
  };

  const watch = (reader: StdinBuffer, collector: PasteCollector): void => {
    open.get(reader)?.cancelWait();
    const cancelWait = clock.after(LOST_END_MS, () => {
      leave(reader);
      reader.emit("paste", collector.flush());
    });
    open.set(reader, { collector, lastInputAtMs: clock.monotonic(), cancelWait });
  };

  const isLoneKey = (reader: StdinBuffer, data: string): boolean => {
    const { lastInputAtMs = Infinity } = open.get(reader) ?? {};
    return clock.monotonic() - lastInputAtMs >= LONE_KEY_MS && LONE_KEY.test(data);
  };

  const read = (reader: StdinBuffer, data: string | Buffer): void => {
    const internals = internalsOf(reader);
    if (!internals.pasteMode) {
      // Cleared in the middle of a paste, when the screen was put away.
      if (open.has(reader)) leave(reader);
      (prototype[OWN_WAY] ?? prototype.process).call(reader, data);
      // The library reads what stands behind a first paste by calling itself, which is us: then it is open already.
      if (!internals.pasteMode || open.has(reader)) return;
      const begun = new PasteCollector();
      begun.push(`\u001b[200~${internals.pasteBuffer}`);
      internals.pasteBuffer = "";
      watch(reader, begun);
      return;
    }
    const collector = open.get(reader)?.collector ?? new PasteCollector();
    if (isLoneKey(reader, data.toString())) {
      leave(reader);
      reader.emit("paste", collector.flush());
      return read(reader, data);
    }
    const [first, ...rest] = collector.push(data.toString());
    if (first === undefined) return watch(reader, collector);
    leave(reader);
    if ("paste" in first) reader.emit("paste", first.paste);
    for (const chunk of rest) read(reader, "paste" in chunk ? `\u001b[200~${chunk.paste}\u001b[201~` : chunk.keys);
    if (collector.isOpen) read(reader, `\u001b[200~${collector.flush()}`);
  };
  return read;
}

function internalsOf(reader: StdinBuffer): ReaderInternals {
  return reader as unknown as ReaderInternals;
}

type InputChunk = { readonly keys: string } | { readonly paste: string; readonly isCut: boolean };

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
