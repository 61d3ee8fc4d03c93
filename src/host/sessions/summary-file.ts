/**
 * Summary file of a session, which the list reads instead of the log. Derived: it names the size of the log, and a
 * reader that sees another size folds the log instead. Only the holder of the session writes it.
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
/** Interval while the log only grows: the file would be outdated at once, and writing it costs more than the text. */
const GROWTH_INTERVAL_MS = 10_000;

/** Size of the plain log, else of the compressed one. */
export async function logBytesOf(dataDir: string, sessionId: string): Promise<number> {
  const { log, compressed } = sessionPaths(dataDir, sessionId);
  const plain = await stat(log).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return (plain ?? (await stat(compressed))).size;
}

/** For a session that is not open. Never rejects: the file is derived. */
export async function writeSummary(dataDir: string, sessionId: string, summary: SessionSummary): Promise<void> {
  try {
    const logBytes = await logBytesOf(dataDir, sessionId);
    await writeFile(dataDir, { format: 1, logBytes, summary });
  } catch {
    // The list folds the log instead.
  }
}

function writeFile(dataDir: string, file: z.infer<typeof SummaryFile>): Promise<void> {
  const { meta } = sessionPaths(dataDir, file.summary.sessionId);
  return writeFileAtomic(meta, `${JSON.stringify(file)}\n`, { isDerived: true });
}

/** Undefined when absent, unreadable, or outdated. */
export async function readSummary(dataDir: string, sessionId: string, logBytes: number) {
  try {
    const text = (await loadOwnFile(sessionPaths(dataDir, sessionId).meta)).toString("utf8");
    const file = SummaryFile.parse(JSON.parse(text));
    return file.logBytes === logBytes && file.summary.sessionId === sessionId ? file.summary : undefined;
  } catch {
    // Absent or damaged: the log has everything.
    return undefined;
  }
}

/** Whether only the position and time of the last event differ. */
export function hasOnlyGrown(before: SessionSummary, after: SessionSummary): boolean {
  const { seq, updatedTs } = after;
  return JSON.stringify({ ...before, seq, updatedTs }) === JSON.stringify(after);
}

export interface SummaryWriter {
  /** Something changed. The file is written within a second; while the log only grows, after a pause or ten seconds. */
  touch(): void;
  /** Writes pending changes. Never rejects: the file is derived. */
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
      // Size first: a log that grows meanwhile makes the file look outdated, never too new.
      const logBytes = await logBytesOf(dataDir, sessionId);
      const summary = summarize();
      written = { summary, atMs: clock.monotonic() };
      await writeFile(dataDir, { format: 1, logBytes, summary });
    } catch {
      // The log reports a full disk; the list folds the log until the file can be written again.
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
