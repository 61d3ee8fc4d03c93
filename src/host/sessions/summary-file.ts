/**
 * The small file a listing reads instead of a whole log. It is derived: it names the size the log had, and a reader that
 * finds another size folds the log instead. Only the holder of the session writes it.
 */
import { stat } from "node:fs/promises";
import * as z from "zod";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import type { Clock } from "../../kit/clock.ts";
import { loadOwnFile } from "../../kit/files/own-file.ts";
import { sessionPaths } from "../../log/index.ts";
import { SessionSummary } from "../../protocol/index.ts";

const SummaryFile = z.object({ format: z.literal(1), logBytes: z.int().nonnegative(), summary: SessionSummary });

const WRITE_INTERVAL_MS = 1_000;
/** While a log only grows, the file is out of date as soon as it is there, and each one costs more than the second's text. */
const GROWTH_INTERVAL_MS = 10_000;

/** Of the file that counts: the plain log, else the compressed one. */
export async function logBytesOf(dataDir: string, sessionId: string): Promise<number> {
  const { log, compressed } = sessionPaths(dataDir, sessionId);
  const plain = await stat(log).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return (plain ?? (await stat(compressed))).size;
}

/** What a listing is to read of a session that nobody has open. Never rejects: the file is derived. */
export async function writeSummary(dataDir: string, sessionId: string, summary: SessionSummary): Promise<void> {
  try {
    const logBytes = await logBytesOf(dataDir, sessionId);
    await writeFile(dataDir, { format: 1, logBytes, summary });
  } catch {
    // A listing folds the log as long as there is no such file.
  }
}

function writeFile(dataDir: string, file: z.infer<typeof SummaryFile>): Promise<void> {
  const { meta } = sessionPaths(dataDir, file.summary.sessionId);
  return writeFileAtomic(meta, `${JSON.stringify(file)}\n`, { isDerived: true });
}

/** Undefined when there is none, or it cannot be read, or it does not fit the log any more. */
export async function readSummary(dataDir: string, sessionId: string, logBytes: number) {
  try {
    const text = (await loadOwnFile(sessionPaths(dataDir, sessionId).meta)).toString("utf8");
    const file = SummaryFile.parse(JSON.parse(text));
    return file.logBytes === logBytes && file.summary.sessionId === sessionId ? file.summary : undefined;
  } catch {
    // Absent or broken is the same here: the log has everything.
    return undefined;
  }
}

/** Whether nothing is new but that something was written to the log. */
export function hasOnlyGrown(before: SessionSummary, after: SessionSummary): boolean {
  const { seq, updatedTs } = after;
  return JSON.stringify({ ...before, seq, updatedTs }) === JSON.stringify(after);
}

export interface SummaryWriter {
  /** Something changed. The file follows within a second; for what only grows, when that rests or in ten seconds. */
  touch(): void;
  /** Writes a last time. Never rejects: the file is derived. */
  close(): Promise<void>;
}

export interface SummaryWriterOptions {
  dataDir: string;
  sessionId: string;
  summarize: () => SessionSummary;
  clock: Clock;
}

export function createSummaryWriter({ dataDir, sessionId, summarize, clock }: SummaryWriterOptions): SummaryWriter {
  let isDirty = false;
  let touchedMs = 0;
  let written: { readonly summary: SessionSummary; readonly atMs: number } | undefined;
  let cancel: (() => void) | undefined;
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    isDirty = false;
    try {
      // The size is taken first: a log that grows meanwhile makes the file look old, never newer than it is.
      const logBytes = await logBytesOf(dataDir, sessionId);
      const summary = summarize();
      written = { summary, atMs: clock.monotonic() };
      await writeFile(dataDir, { format: 1, logBytes, summary });
    } catch {
      // A full disk shows by the log's own state; listings fold the log until the file can be written again.
    }
  }

  function canWait(): boolean {
    const nowMs = clock.monotonic();
    if (written === undefined || nowMs - touchedMs >= WRITE_INTERVAL_MS) return false;
    return nowMs - written.atMs < GROWTH_INTERVAL_MS && hasOnlyGrown(written.summary, summarize());
  }

  function arm(): void {
    cancel ??= clock.after(WRITE_INTERVAL_MS, () => {
      cancel = undefined;
      if (canWait()) arm();
      else writing = writing.then(write);
    });
  }

  return {
    touch() {
      isDirty = true;
      touchedMs = clock.monotonic();
      arm();
    },
    close() {
      cancel?.();
      cancel = () => {};
      return writing.then(() => (isDirty ? write() : undefined));
    },
  };
}
