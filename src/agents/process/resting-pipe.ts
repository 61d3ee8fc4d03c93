/**
 * The pipe of a program whose text trickles in: instead of waking for each token we look into it with each beat.
 * Promises: what is in the pipe is taken with the next beat at the latest; a beat that finds nothing ends the rest, so the
 * next bytes come at once. A stream without a handle of its own is read as ever: this saves work and promises nothing.
 */
import { readSync } from "node:fs";
import type { Readable } from "node:stream";
import { beatOf } from "../../kit/beat.ts";
import { systemClock } from "../../kit/clock.ts";

/** As much as Node itself reads at a time. */
const LOOK_BYTES = 64 * 1024;

interface Handle {
  /** Absent or negative where pipes have none, as on Windows. */
  readonly fd?: number;
  readStop?(): void;
  readStart?(): void;
}

type Pipe = Readable & { _handle?: Handle | null };

export class RestingPipe {
  readonly #stream: Pipe;
  readonly #take: (chunk: Buffer) => void;
  #resting: Handle | undefined;
  #cancelLook: () => void = () => {};

  constructor(stream: Readable, take: (chunk: Buffer) => void) {
    this.#stream = stream;
    this.#take = take;
  }

  /** From the next beat on, until `wake` or until a beat finds nothing. */
  rest(): void {
    const handle = this.#stream._handle;
    // A paused stream has its own way to stop, and would not start a handle that it believes to be reading.
    if (this.#resting !== undefined || handle?.readStop === undefined || this.#stream.isPaused()) return;
    // A paused socket still reads until its buffer is full, and each read wakes the process, so it is its handle that stops.
    handle.readStop();
    this.#resting = handle;
    this.#lookSoon();
  }

  wake(): void {
    const handle = this.#resting;
    if (handle === undefined) return;
    this.#resting = undefined;
    this.#cancelLook();
    if (this.#isOpen(handle)) handle.readStart?.();
  }

  #lookSoon(): void {
    this.#cancelLook = beatOf(systemClock).begin(() => this.#look());
  }

  /** Reads without asking the system first whether there is anything: that would be two more wakes for each beat. */
  #look(): void {
    const handle = this.#resting;
    if (handle === undefined) return;
    const isOurs = this.#isOpen(handle) && this.#stream.readableLength === 0 && !this.#stream.isPaused();
    const chunk = isOurs ? readNow(handle.fd ?? -1) : undefined;
    if (chunk === undefined) return this.wake();
    this.#lookSoon();
    this.#take(chunk);
  }

  /** A handle that was closed may have left its number to another file. */
  #isOpen(handle: Handle): boolean {
    return !this.#stream.destroyed && this.#stream._handle === handle;
  }
}

let scratch: Buffer | undefined;

/** Undefined when there is nothing, or when it ended or failed: the stream finds out which. */
function readNow(fd: number): Buffer | undefined {
  if (fd < 0) return undefined;
  scratch ??= Buffer.allocUnsafeSlow(LOOK_BYTES);
  try {
    const count = readSync(fd, scratch);
    return count === 0 ? undefined : Buffer.from(scratch.subarray(0, count));
  } catch {
    return undefined;
  }
}
