/** Every limit that applies to an external program; tests use shorter ones. */
import { LINE_BYTES_MAX } from "../../kit/io/json-lines.ts";

export interface ProcessLimits {
  /** Longest line that is parsed; a longer one is skipped and reported. */
  readonly lineBytesMax: number;
  /** Output queued between the pipe and its reader; above it the program is paused. */
  readonly queueBytesMax: number;
  readonly queueLinesMax: number;
  /** Bytes that a program may leave unread on stdin. */
  readonly inputBytesMax: number;
  /** Output of one turn, counted separately for text and for tools; the rest is dropped and reported. */
  readonly outputCharsMax: number;
  readonly contentEventsMax: number;
  /** Time after the exit for which another process may hold the program's pipe open. */
  readonly drainMs: number;
  /** Time without output: first a warning, then the end of the turn. */
  readonly silenceWarnMs: number;
  readonly silenceMs: number;
  readonly totalMs: number;
  /** Time for a one-turn program to exit after its answer. */
  readonly postResultMs: number;
  /** An interrupted turn is reported as ended after this at the latest, whatever its program does. */
  readonly interruptShownMs: number;
  readonly killSequence: KillSequenceLimits;
  /** An idle program is stopped after this time. */
  readonly idleMs: number;
  readonly startsMax: number;
  readonly startsWindowMs: number;
}

/** Time for the program to exit at each step of the kill sequence; below 7 s in total. */
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
