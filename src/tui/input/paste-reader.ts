/**
 * Lets the library read long pastes in time. Its reader looks through all that has come so far with every piece, so
 * 5 MB in the pieces of a terminal take many seconds in which no key is answered; here each piece is looked at once.
 * A paste whose end is lost is given up after a silence, or at a key that no paste holds, instead of swallowing every key
 * from then on.
 */
import { StdinBuffer } from "@earendil-works/pi-tui";
import { type Clock, systemClock } from "../../kit/clock.ts";

/**
 * Extracts bracketed pastes, also when they arrive in chunks. Each chunk is scanned once, so a paste of many chunks
 * costs no more than one. A paste beyond the limit is truncated and marked as such.
 */
export const PASTE_CHARS_MAX = 32 * 1024 * 1024;

const START = "\u001b[200~";

const END = "\u001b[201~";

export const LOST_END_MS = 2_000;

/** A lone key after this pause is not part of a paste. */
export const LONE_KEY_MS = 500;

/**
 * Ctrl with a letter, Backspace, and keys or mouse moves sent as sequences. Not Enter, Tab or letters, which a slow
 * paste also contains; not a lone Escape, which starts the end marker.
 */
// oxlint-disable-next-line no-control-regex -- controls are what is looked for.
const LONE_KEY = /^(?:[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\x1b\[(?!20[01]~)<?[\d;:]*[A-HIMOPQSZmu~]|\x1bO[A-Z])$/;

/** Private members of the library's reader; pinned like those of the editor. */
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

/** Holds the library's own method, so that it is replaced once however often this module is loaded. */
const OWN_WAY = Symbol.for("roundtable.paste-reader.own-way");

const prototype: { process: Process; [OWN_WAY]?: Process } = StdinBuffer.prototype;

/** Applies to every reader of this process; idempotent. */
export function usePasteReaderInLibrary(): void {
  if (prototype[OWN_WAY] !== undefined) return;
  prototype[OWN_WAY] = prototype.process;
  const read = createPasteReader(systemClock);
  prototype.process = function (data) {
    read(this, data);
  };
}

/** Everything outside a paste is read by the library. */
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
      // Cleared in the middle of a paste, when the screen was suspended.
      if (open.has(reader)) leave(reader);
      (prototype[OWN_WAY] ?? prototype.process).call(reader, data);
      // After a first paste the library calls itself, which is us: the paste is open already.
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
  /** Including truncated characters. */
  #total = 0;
  /** End of the previous chunk: the end marker may be split. */
  #tail = "";

  get isOpen(): boolean {
    return this.#pasteChunks !== undefined;
  }

  /** The parts of `data` in order. */
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

  /** Contents of a paste whose end marker was lost. */
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
