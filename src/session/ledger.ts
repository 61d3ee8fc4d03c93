/**
 * Appends to the log and folds at once, so that every decision is based on the latest state. Events that the log
 * refused are not folded; events that the log added itself are folded in order. `committed` covers everything
 * appended before the call. `append` never throws.
 */
import type { Appended, EventLog } from "../log/index.ts";
import type { EventDraft, SessionEvent } from "../protocol/index.ts";
import { fold, reduce, type Transcript } from "../transcript/index.ts";
import type { Memory } from "./memory.ts";

/** High-frequency events for display; the memory learns everything from the final text. */
const DELTAS: ReadonlySet<SessionEvent["type"]> = new Set(["text_delta", "thinking_delta", "tool_output_delta"]);

export interface LedgerOptions {
  readonly log: EventLog;
  readonly transcript: Transcript;
  readonly memory: Memory;
  readonly onChange?: (() => void) | undefined;
}

/** Seqs that the log used for its own events; placeholders stand in until they arrive. */
interface Gap {
  readonly before: Transcript;
  readonly after: SessionEvent[];
  readonly missing: Set<number>;
}

export class Ledger {
  readonly log: EventLog;
  readonly memory: Memory;
  readonly #onChange: () => void;
  readonly #stopStore: () => void;
  #transcript: Transcript;
  #last: Promise<void> = Promise.resolve();
  #lossListener: (() => void) | undefined;
  #refused: { readonly count: number; readonly why: unknown } = { count: 0, why: undefined };
  #gap: Gap | undefined;
  #stopListening: (() => void) | undefined;

  constructor({ log, transcript, memory, onChange }: LedgerOptions) {
    this.log = log;
    this.memory = memory;
    this.#transcript = transcript;
    this.#onChange = onChange ?? (() => undefined);
    this.#stopStore = log.onStore((report) => {
      if (report.state === "ok") this.#listen(this.seq);
    });
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  get seq(): number {
    return this.#transcript.head.seq;
  }

  /** True while the log has written events that are not folded yet. */
  get hasGap(): boolean {
    return this.#gap !== undefined;
  }

  append(drafts: readonly EventDraft[]): readonly SessionEvent[] {
    if (drafts.length === 0) return [];
    const appended = this.#tryAppend(drafts);
    const isLoss = appended === undefined || appended.events.length < drafts.length;
    if (isLoss && this.#lossListener !== undefined) queueMicrotask(this.#lossListener);
    if (appended === undefined) return [];
    if (appended.events.length > 0) {
      this.#last = appended.committed;
      // Nobody may be waiting for it; a rejection must not end the process.
      this.#last.catch(() => undefined);
    }
    for (const event of appended.events) this.#apply(event);
    this.#onChange();
    return appended.events;
  }

  /** Resolves when everything appended so far is durable; rejects when the log is closed before. */
  committed(): Promise<void> {
    return this.#last;
  }

  /** Resolves when everything appended so far is in the file: survives this process, not yet a power cut. */
  written(): Promise<void> {
    return this.log.written();
  }

  /** Number of refused appends and the last error; compare before and after to detect a refusal. */
  get refused(): { readonly count: number; readonly why: unknown } {
    return this.#refused;
  }

  /** Calls back asynchronously when the log has refused events. */
  onLoss(listener: () => void): void {
    this.#lossListener = listener;
  }

  /** Drops the content of frozen pages that the snapshot can restore. */
  forgetPages(pagesSaved: number, retained: number): void {
    const until = Math.min(pagesSaved, this.#transcript.frozen.length - retained);
    if (until <= 0) return;
    const frozen = this.#transcript.frozen.map((page, index) => (index < until ? undefined : page));
    this.#transcript = { ...this.#transcript, frozen };
  }

  close(): void {
    this.#stopStore();
    this.#stop();
  }

  /** A closed or full log refuses events: a loss, not an exception. */
  #tryAppend(drafts: readonly EventDraft[]): Appended | undefined {
    try {
      return this.log.append(drafts);
    } catch (why) {
      this.#refused = { count: this.#refused.count + 1, why };
      return undefined;
    }
  }

  #apply(event: SessionEvent): void {
    for (let seq = this.seq + 1; seq < event.seq; seq += 1) {
      this.#gap ??= { before: this.#transcript, after: [], missing: new Set() };
      this.#gap.missing.add(seq);
      this.#transcript = reduce(this.#transcript, placeholder(event, seq));
      this.#listen(this.#gap.before.head.seq);
    }
    this.#gap?.after.push(event);
    this.#transcript = reduce(this.#transcript, event);
    if (!DELTAS.has(event.type)) this.memory.apply(event);
  }

  /** Follows events that the log adds itself, until nothing is missing. */
  #listen(after: number): void {
    this.#stopListening ??= this.log.follow(after, (events) => {
      for (const event of events) this.#receive(event);
    });
  }

  #receive(event: SessionEvent): void {
    const gap = this.#gap;
    if (event.seq > this.seq) {
      this.#apply(event);
      if (event.type === "read_only" && gap === undefined) this.#stop();
    } else if (gap?.missing.delete(event.seq) === true) {
      gap.after.push(event);
      this.memory.apply(event);
      if (gap.missing.size > 0) return;
      this.#transcript = fold(
        gap.before,
        gap.after.sort((a, b) => a.seq - b.seq),
      );
      this.#gap = undefined;
      this.#stop();
    } else return;
    this.#onChange();
  }

  #stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}

function placeholder({ epoch, id, ts, sessionId }: SessionEvent, seq: number): SessionEvent {
  return { seq, epoch, id, ts, sessionId, type: "read_only", fromTs: ts, toTs: ts, reason: "", dropped: 0 };
}
