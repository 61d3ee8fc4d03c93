/** Every limit a foreign program meets, in one place; tests give shorter ones. */
import { LINE_BYTES_MAX } from "../../kit/io/json-lines.ts";

export interface ProcessLimits {
  /** The longest line that is read; a longer one is skipped and said so. */
  readonly lineBytesMax: number;
  /** What may wait between the pipe and its reader; above it the program has to wait. */
  readonly queueBytesMax: number;
  readonly queueLinesMax: number;
  /** What a program may leave unread on its standard input. */
  readonly inputBytesMax: number;
  /** What one turn may say, and as much again of what its tools print; what comes after it is dropped and said so. */
  readonly outputCharsMax: number;
  readonly contentEventsMax: number;
  /** After its exit, how long a program's pipe may be held open by somebody else. */
  readonly drainMs: number;
  /** Without a sign of life: first a warning, then the end of the turn. */
  readonly silenceWarnMs: number;
  readonly silenceMs: number;
  readonly totalMs: number;
  /** How long a program of one turn may take to leave after its answer. */
  readonly postResultMs: number;
  /** An interrupted turn is shown as ended at the latest after this, whatever its program does. */
  readonly interruptShownMs: number;
  readonly killSequence: KillSequenceLimits;
  /** A program that nobody has asked anything for this long is let go. */
  readonly idleMs: number;
  readonly startsMax: number;
  readonly startsWindowMs: number;
}

/** How long each step of stopping waits for the program to leave; all of them together stay below 7 s. */
export interface KillSequenceLimits {
  readonly interruptMs: number;
  readonly sigintMs: number;
  readonly sigtermMs: number;
  readonly sigkillMs: number;
}

export const processLimits: ProcessLimits = {
  lineBytesMax: LINE_BYTES_MAX,
  queueBytesMax: 1024 * 1024,
  queueLinesMax: 20_000,
  inputBytesMax: 64 * 1024 * 1024,
  outputCharsMax: 64 * 1024 * 1024,
  contentEventsMax: 200_000,
  drainMs: 2_000,
  silenceWarnMs: 60_000,
  silenceMs: 600_000,
  totalMs: 3_600_000,
  postResultMs: 5_000,
  interruptShownMs: 150,
  killSequence: { interruptMs: 2_000, sigintMs: 2_000, sigtermMs: 2_000, sigkillMs: 1_000 },
  idleMs: 600_000,
  startsMax: 3,
  startsWindowMs: 60_000,
};
