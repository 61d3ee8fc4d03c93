/**
 * Copies a session up to a seq into another, empty log: visible content with new seqs and the original times, and
 * nothing that continues. The original is only read. Members start without native context and are given the history.
 */

import { type Clock, systemClock } from "../../kit/clock.ts";
import type { EventLog, LogReader } from "../../log/index.ts";
import {
  RoundtableError,
  type EventDraft,
  type EventOf,
  type SessionEvent,
  type Settings,
} from "../../protocol/index.ts";
import { dropFrozenPages, empty, fold, type Transcript } from "../../transcript/index.ts";
import { copyOf, isMembershipEvent, SeqMap } from "./events.ts";
import { closingDrafts } from "../recovery/recover.ts";

/** Limit of a title. */
const TITLE_CHARS_MAX = 200;
/** Batches of at most one mebibyte that may be unwritten. Each wait costs a sync. */
const BATCHES_UNWRITTEN_MAX = 8;

/** Events per tick: a long copy must not block other sessions. */
const EVENTS_AT_ONCE = 256;

/** Shows the time of the event being copied. The target log must have been opened with it. */
export interface CopyClock extends Clock {
  set(ts: number | undefined): void;
}

export function createCopyClock(clock: Clock = systemClock): CopyClock {
  let at: number | undefined;
  return {
    now: () => at ?? clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => clock.after(ms, callback),
    set: (ts) => void (at = ts),
  };
}

export interface ForkCopy {
  readonly source: Pick<LogReader, "sessionId" | "read">;
  /** The last copied event. */
  readonly seq: number;
  readonly log: EventLog;
  readonly clock: CopyClock;
  /** Defaults to the original's title with a suffix. */
  readonly title?: string | undefined;
  /** Current title of the original; defaults to its title at that seq. */
  readonly originalTitle?: string | undefined;
  /** Suffix of the title; "fork" by default. */
  readonly word?: string;
  /** What could not be copied; recorded at the end. */
  readonly warning?: string;
  /** Used when the beginning of the original is lost. */
  readonly fallback?: { readonly cwd: string; readonly settings: Settings };
}

export interface Forked {
  /** Blobs that the copy refers to. */
  readonly blobs: ReadonlySet<string>;
  readonly events: number;
}

/** Durable when it resolves; the log stays open. */
export async function copyFork(copy: ForkCopy): Promise<Forked> {
  const beginning = await readBeginning(copy);
  const copier = new Copier(copy);
  copier.append(createdDraft(copy, beginning));
  for await (const events of copy.source.read(0)) {
    for (const [index, event] of events.entries()) {
      if (event.seq > copy.seq) break;
      if (event.seq > beginning.clearedSeq || isMembershipEvent(event)) copier.copyEvent(event);
      if (index % EVENTS_AT_ONCE === EVENTS_AT_ONCE - 1) await yieldToEventLoop();
    }
    await copier.written();
    if ((events.at(-1)?.seq ?? 0) >= copy.seq) break;
  }
  copier.close();
  if (copy.warning !== undefined) copier.append({ type: "warning", code: "damage", message: copy.warning });
  copier.append({ type: "session_renamed", title: titleOf(copy, copy.originalTitle ?? beginning.title) });
  await copy.log.flush();
  return { blobs: copier.blobs, events: copier.events };
}

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Beginning {
  readonly title: string;
  readonly cwd: string;
  readonly settings: Settings | undefined;
  /** Content before it is hidden. */
  readonly clearedSeq: number;
}

async function readBeginning({ source, seq }: ForkCopy): Promise<Beginning> {
  let beginning: Beginning = { title: "", cwd: "", settings: undefined, clearedSeq: 0 };
  for await (const events of source.read(0)) {
    for (const event of events) if (event.seq <= seq) beginning = begun(beginning, event);
    if ((events.at(-1)?.seq ?? 0) >= seq) break;
  }
  return beginning;
}

function begun(beginning: Beginning, event: SessionEvent): Beginning {
  const { settings } = beginning;
  if (event.type === "session_created" && settings === undefined) {
    return { ...beginning, title: event.title, cwd: event.cwd, settings: event.settings };
  }
  if (event.type === "session_renamed") return { ...beginning, title: event.title };
  if (event.type === "session_clear") return { ...beginning, clearedSeq: event.seq };
  if (event.type !== "settings_changed" || settings === undefined) return beginning;
  const changed = Object.entries(event.settings).filter(([, value]) => value !== undefined);
  return { ...beginning, settings: { ...settings, ...Object.fromEntries(changed) } };
}

function createdDraft({ source, seq, fallback }: ForkCopy, beginning: Beginning): EventDraft {
  const settings = beginning.settings ?? fallback?.settings;
  if (settings === undefined) {
    throw new RoundtableError("unknown_session", `Session ${source.sessionId} has no readable first event.`);
  }
  // Two sessions must not write the same thread files.
  const { mirror: _mirror, ...copiedSettings } = settings;
  return {
    type: "session_created",
    format: 1,
    cwd: beginning.settings === undefined ? (fallback?.cwd ?? "") : beginning.cwd,
    title: beginning.title,
    settings: copiedSettings,
    forkedFrom: { sessionId: source.sessionId, seq },
  };
}

function titleOf({ title, word = "fork" }: ForkCopy, original: string): string {
  if (title !== undefined && title.trim() !== "") return title.slice(0, TITLE_CHARS_MAX).toWellFormed();
  const addition = ` (${word})`;
  return `${original.slice(0, TITLE_CHARS_MAX - addition.length).toWellFormed() || "Untitled"}${addition}`;
}

class Copier {
  readonly blobs = new Set<string>();
  events = 0;
  readonly #copy: ForkCopy;
  readonly #seqs = new SeqMap();
  readonly #compactions = new Map<string, string>();
  readonly #inLog = new Set<string>();
  readonly #exchanges = new Map<string, OpenExchange>();
  #transcript: Transcript;
  #unwritten = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(copy: ForkCopy) {
    this.#copy = copy;
    this.#transcript = empty(copy.log.sessionId);
  }

  copyEvent(event: SessionEvent): void {
    const draft = copyOf(event, { seqs: this.#seqs, compactions: this.#compactions, inLog: this.#inLog });
    if (draft === undefined) return;
    this.#copy.clock.set(event.ts);
    const copied = this.append(draft);
    this.#copy.clock.set(undefined);
    this.#seqs.note(event.seq, copied.seq);
    this.#remember(event, copied);
  }

  append(draft: EventDraft): SessionEvent {
    const { events, committed } = this.#appendFitting(draft);
    this.#last = committed;
    committed.catch(() => undefined);
    const [copied] = events;
    if (copied === undefined) throw new RoundtableError("store_unavailable", "The copy could not be written.");
    this.#transcript = fold(this.#transcript, events);
    this.events += 1;
    return copied;
  }

  /** Called after each batch of the original. */
  async written(): Promise<void> {
    this.#unwritten += 1;
    if (this.#unwritten < BATCHES_UNWRITTEN_MAX) return;
    this.#unwritten = 0;
    // Frozen pages have nothing to close.
    this.#transcript = dropFrozenPages(this.#transcript, 0);
    await this.#last;
  }

  close(): void {
    const now = this.#copy.clock.now();
    for (const draft of closeAtFork(this.#transcript, this.#exchanges.values(), now)) this.append(draft);
  }

  /** Adding the origin can push an event over the size limit. */
  #appendFitting(draft: EventDraft): ReturnType<EventLog["append"]> {
    try {
      return this.#copy.log.append([draft]);
    } catch (error) {
      if (!(error instanceof RoundtableError) || error.code !== "too_large") throw error;
      const message = `An event of type ${draft.type} is too large to be copied and is missing here.`;
      return this.#copy.log.append([{ type: "warning", code: "too_large", message }]);
    }
  }

  #remember(event: SessionEvent, copied: SessionEvent): void {
    for (const sha256 of blobsIn(event)) this.blobs.add(sha256);
    if (event.type === "compaction") this.#compactions.set(event.id, copied.id);
    else if (event.type === "member_joined") this.#trackContext(event);
    else if (event.type === "agent_message") {
      this.#exchanges.set(event.agentExchangeId, { agentExchangeId: event.agentExchangeId, to: event.to });
    } else if (event.type === "agent_callback_result") this.#exchanges.delete(event.agentExchangeId);
  }

  #trackContext({ member, capabilities }: EventOf<"member_joined">): void {
    if (capabilities.compact === "table") this.#inLog.add(member);
    else this.#inLog.delete(member);
  }
}

/** Blobs that an event refers to, recognised by the form of a reference, not by its position. */
const SHA256 = /^[0-9a-f]{64}$/;
/** Deeper than any reference in our events. */
const DEPTH_MAX = 8;

function blobsIn(event: SessionEvent): string[] {
  const hashes: string[] = [];
  collect(event, hashes, 0);
  return hashes;
}

function collect(value: unknown, hashes: string[], depth: number): void {
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return;
  const { sha256, bytes } = value as { sha256?: unknown; bytes?: unknown };
  if (typeof sha256 === "string" && typeof bytes === "number" && SHA256.test(sha256)) hashes.push(sha256);
  for (const one of Object.values(value)) collect(one, hashes, depth + 1);
}

/** Closing events at the end of a copy: everything open in the original is closed here with this reason. */
const FORKED = "forked";
const TOOL_MESSAGE = "The session was copied before the tool had a result.";

interface OpenExchange {
  readonly agentExchangeId: string;
  readonly to: string;
}

function closeAtFork({ head }: Transcript, exchanges: Iterable<OpenExchange>, now: number): EventDraft[] {
  const drafts: EventDraft[] = head.requests.map(({ requestId, member, turnId }) => {
    const stamp = { member, ...(turnId === undefined ? {} : { turnId }) };
    return { type: "ui_cancelled", requestId, ...stamp, reason: "cancelled" };
  });
  for (const { agentExchangeId, to } of exchanges) {
    const text = `The session was copied before ${to} had answered.`;
    drafts.push({ type: "agent_callback_result", agentExchangeId, member: to, ok: false, text });
  }
  // Deepest first: the result of a subagent is recorded in its parent turn, which must still be open.
  for (const turn of Object.values(head.openTurns).sort((one, other) => other.depth - one.depth)) {
    drafts.push(...turn.blocks.flatMap((block) => closingDrafts(turn, block, TOOL_MESSAGE)), {
      type: "turn_end",
      turnId: turn.turnId,
      member: turn.member,
      outcome: "interrupted",
      reason: FORKED,
      ...(turn.usage === undefined ? {} : { usage: turn.usage }),
      durationMs: Math.max(0, now - turn.ts),
      copied: true,
    });
  }
  for (const [messageId, members] of Object.entries(head.deliveries)) {
    for (const [member, { state }] of Object.entries(members)) {
      if (state === "answered" || state === "dropped") continue;
      drafts.push({ type: "message_delivery", messageId, member, state: "dropped", reason: FORKED });
    }
  }
  return drafts;
}
