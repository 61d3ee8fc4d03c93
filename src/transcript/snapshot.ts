/**
 * Stored transcripts. A snapshot is the head and the live pages as JSON, with the frozen pages beside it; folding the
 * rest of the log onto it equals folding the whole log.
 */
import type { Json } from "../protocol/index.ts";
import { empty } from "./empty.ts";
import { FOLD_VERSION, PAGE_SIZE, type Head, type Page, type Transcript } from "./model.ts";

export interface TranscriptSnapshot {
  foldVersion: number;
  epoch: number;
  seq: number;
  frozenPages: number;
  state: Json;
  /** Frozen pages that are in memory. */
  pages: { index: number; page: Json }[];
}

/** Values are shared with the transcript: write them, do not change them. */
export function toSnapshot(transcript: Transcript): TranscriptSnapshot {
  const { head, frozen, live } = transcript;
  return {
    foldVersion: FOLD_VERSION,
    epoch: head.epoch,
    seq: head.seq,
    frozenPages: frozen.length,
    state: { head, live } as unknown as Json,
    pages: frozen.filter((page) => page !== undefined).map((page) => ({ index: page.index, page: pageToJson(page) })),
  };
}

export function pageToJson(page: Page): Json {
  return page as unknown as Json;
}

/** Undefined for another fold version or an invalid state; then the log is folded from its beginning. */
export function fromSnapshot(snapshot: {
  foldVersion: number;
  frozenPages: number;
  state: Json;
}): Transcript | undefined {
  const { foldVersion, frozenPages, state } = snapshot;
  if (foldVersion !== FOLD_VERSION || !isRecord(state)) return undefined;
  const { head, live }: Record<string, unknown> = state;
  if (!isHead(head) || !Array.isArray(live)) return undefined;
  if (!live.every((page, offset): page is Page => isPage(page, frozenPages + offset))) return undefined;
  if (!holdsEveryMessage(head, frozenPages, live)) return undefined;
  return { head, frozen: Array.from({ length: frozenPages }, () => undefined), live };
}

/** Restores a frozen page. A malformed page, or one that is not frozen here, is ignored. */
export function withPage(transcript: Transcript, index: number, page: Json): Transcript {
  const { head, frozen, live } = transcript;
  const isAbsent = index >= 0 && index < frozen.length && frozen[index] === undefined;
  if (!isAbsent || !isPage(page, index) || page.messages.length !== PAGE_SIZE) return transcript;
  return { head, frozen: frozen.with(index, page), live };
}

/** Drops all frozen pages but the last `retainedCount`; `withPage` restores them. */
export function dropFrozenPages(transcript: Transcript, retainedCount: number): Transcript {
  const { head, frozen, live } = transcript;
  const firstRetained = Math.max(0, frozen.length - Math.max(0, retainedCount));
  if (frozen.slice(0, firstRetained).every((page) => page === undefined)) return transcript;
  return { head, frozen: frozen.map((page, index) => (index < firstRetained ? undefined : page)), live };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Has every field of a head, of the right kind. */
function isHead(value: unknown): value is Head {
  if (!isRecord(value)) return false;
  return Object.entries(empty("").head).every(([key, field]) => kindOf(value[key]) === kindOf(field));
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isPage(value: unknown, index: number): value is Page {
  if (!isRecord(value) || value["index"] !== index || !Array.isArray(value["messages"])) return false;
  return value["messages"].every((message) => isRecord(message) && typeof message["kind"] === "string");
}

/** A head and pages of different times would fold on without an error and be wrong. */
function holdsEveryMessage(head: Head, frozenPages: number, live: readonly Page[]): boolean {
  const isFull = live.slice(0, -1).every((page) => page.messages.length === PAGE_SIZE);
  const count = live.reduce((sum, page) => sum + page.messages.length, frozenPages * PAGE_SIZE);
  const placeholders = live.flatMap((page) => page.messages).filter((message) => message.kind === "open-turn");
  const isPlaced = placeholders.every((placeholder) => Object.hasOwn(head.openTurns, placeholder.turnId));
  return (
    isFull && count === head.messageCount && isPlaced && placeholders.length === Object.keys(head.openTurns).length
  );
}
