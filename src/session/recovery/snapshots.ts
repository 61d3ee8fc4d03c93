/**
 * When the fold is saved, and which pages stay in memory. A snapshot is a cache: failing to save one costs time only.
 */
import type { LogReader, Snapshot } from "../../log/index.ts";
import type { Json, SessionEvent } from "../../protocol/index.ts";
import { empty, fold, fromSnapshot, toSnapshot, type Transcript } from "../../transcript/index.ts";
import type { Ledger } from "../ledger.ts";
import { PAGES_RETAINED, SNAPSHOT_EVERY_EVENTS } from "../limits.ts";
import { createMemory, restoreMemory, type Memory } from "../memory.ts";

export interface Loaded {
  readonly transcript: Transcript;
  readonly memory: Memory;
  /** Frozen pages in the snapshot. */
  readonly pagesSaved: number;
  readonly snapshotSeq: number;
}

/** The whole log, from a matching snapshot where there is one. */
export async function loadFold(log: LogReader): Promise<Loaded> {
  let loaded = (await loadSnapshot(log)) ?? emptyFold(log.sessionId);
  for await (const events of log.read(loaded.snapshotSeq)) loaded = foldMore(loaded, events);
  return loaded;
}

export function emptyFold(sessionId: string): Loaded {
  return { transcript: empty(sessionId), memory: createMemory(), pagesSaved: 0, snapshotSeq: 0 };
}

/** Reuses the memory and extends it. */
export function foldMore(loaded: Loaded, events: readonly SessionEvent[]): Loaded {
  for (const event of events) loaded.memory.apply(event);
  return { ...loaded, transcript: fold(loaded.transcript, events) };
}

/** The snapshot, and the pages not saved before. */
export function snapshotOfFold({ transcript, memory, pagesSaved }: Omit<Loaded, "snapshotSeq">): {
  readonly snapshot: Snapshot;
  readonly pages: readonly { readonly index: number; readonly page: Json }[];
} {
  const { pages, ...snapshot } = toSnapshot(transcript);
  const state: Json = { ...(snapshot.state as Record<string, Json>), session: memory.toJson() };
  return { snapshot: { ...snapshot, state }, pages: pages.filter((page) => page.index >= pagesSaved) };
}

async function loadSnapshot(log: LogReader): Promise<Loaded | undefined> {
  const snapshot = await log.snapshots.load();
  if (snapshot === undefined || !(await log.knows({ epoch: snapshot.epoch, seq: snapshot.seq }))) return undefined;
  const transcript = fromSnapshot(snapshot);
  const memory = restoreMemory((snapshot.state as Record<string, Json> | null)?.["session"]);
  if (transcript === undefined || memory === undefined) return undefined;
  return { transcript, memory, pagesSaved: snapshot.frozenPages, snapshotSeq: snapshot.seq };
}

export interface SnapshotWriter {
  /** Saves when enough was appended since the last time. */
  saveWhenDue(): void;
  save(): Promise<void>;
}

export function createSnapshotWriter(ledger: Ledger, from: Pick<Loaded, "pagesSaved" | "snapshotSeq">): SnapshotWriter {
  let savedSeq = from.snapshotSeq;
  let pagesSaved = from.pagesSaved;
  let saving: Promise<void> | undefined;
  let hasWarned = false;

  async function write(): Promise<void> {
    if (ledger.transcript.head.seq === savedSeq || ledger.hasGap) return;
    const { transcript, memory } = ledger;
    const { snapshot, pages } = snapshotOfFold({ transcript, memory, pagesSaved });
    // A snapshot ahead of the log would show what a power cut took back.
    await ledger.committed();
    await ledger.log.snapshots.save(snapshot, pages);
    savedSeq = snapshot.seq;
    pagesSaved = snapshot.frozenPages;
    ledger.forgetPages(pagesSaved, PAGES_RETAINED);
  }

  async function save(): Promise<void> {
    const mine = (saving ?? Promise.resolve()).then(write).catch(warn);
    saving = mine;
    await mine;
    if (saving === mine) saving = undefined;
  }

  function warn(thrown: unknown): void {
    if (hasWarned) return;
    hasWarned = true;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `The snapshot of the session could not be saved: ${why}. Opening it will take longer.`;
    ledger.append([{ type: "warning", code: "snapshot_failed", message }]);
  }

  return {
    save,
    saveWhenDue() {
      if (saving === undefined && ledger.seq - savedSeq >= SNAPSHOT_EVERY_EVENTS) void save();
    },
  };
}
