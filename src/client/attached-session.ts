/**
 * A session driven by a program on stdio: follows it, sends commands, and settles its turns before leaving. Requests
 * that can no longer be answered get their safe default.
 */
import { granted, type Ack, type SessionEvent } from "../protocol/index.ts";
import type { Client, CommandBody } from "./client-port.ts";
import { isRunning, withPage, type Head, type OpenRequest, type Transcript } from "../transcript/index.ts";
import { newId } from "../kit/ids.ts";
import { withEllipsis } from "../kit/text/format.ts";
import { viewSession, type SessionView } from "./follow-session.ts";
import { MissedEvents } from "./missed-events.ts";

/** History pages that a program gets when it attaches to an existing session. */
const PAGES_RECALLED = 2;
const TITLE_CHARS_MAX = 80;
/** Time for the replay of what was logged since the snapshot. */
const REPLAY_MS = 5_000;

export interface AttachedOptions {
  readonly client: Client;
  readonly sessionId: string;
  /** Created for this program: the first message becomes its title. */
  readonly isNew: boolean;
  readonly onLost: (error: Error) => void;
  /** Backpressure: undefined while the reader keeps up, else resolves when it has; changes are merged until then. */
  readonly room?: (() => Promise<unknown> | undefined) | undefined;
  /** Called before the missed events when some had to be dropped. */
  readonly onGap: (message: string) => void;
}

type ChangeListener = (transcript: Transcript, events: readonly SessionEvent[]) => void;

export class AttachedSession {
  readonly sessionId: string;
  readonly #options: AttachedOptions;
  readonly #waiting = new Set<{ isMet: (transcript: Transcript) => boolean; resolve: () => void }>();
  /** Messages of this program, by their ids in the session. */
  readonly #own = new Set<string>();
  #view: SessionView | undefined;
  #transcript: Transcript | undefined;
  readonly #missed = new MissedEvents();
  /** Set while the reader is behind. */
  #room: Promise<void> | undefined;
  #onChange: ChangeListener | undefined;
  #isUntitled: boolean;

  private constructor(options: AttachedOptions) {
    this.#options = options;
    this.sessionId = options.sessionId;
    this.#isUntitled = options.isNew;
  }

  /** Resolves when everything logged so far is known: after a crash, also how the turns of that time ended. */
  static async open(options: AttachedOptions): Promise<AttachedSession> {
    const session = new AttachedSession(options);
    const { client, sessionId, onLost } = options;
    session.#view = await viewSession(client, sessionId, {
      from: "now",
      onChange: (transcript, events) => session.#changed(transcript, events),
      onLost,
    });
    session.#transcript ??= session.#view.transcript;
    const { seq } = session.#view.head;
    await session.until(({ head }) => head.seq >= seq, REPLAY_MS);
    return session;
  }

  get transcript(): Transcript {
    if (this.#transcript === undefined) throw new Error("the session is not open yet");
    return this.#transcript;
  }

  get head(): Head {
    return this.transcript.head;
  }

  /** Returns the transcript with its newest pages; later changes go to the listener. */
  async begin(onChange: ChangeListener): Promise<Transcript> {
    let recalled = this.transcript;
    const from = Math.max(0, recalled.frozen.length - PAGES_RECALLED);
    for (let index = from; index < recalled.frozen.length; index += 1) {
      recalled = withPage(recalled, index, await this.#options.client.page(this.sessionId, index));
    }
    this.#onChange = onChange;
    // Events that arrived meanwhile are the first change.
    if (!this.#missed.isEmpty) queueMicrotask(() => this.#emitMissed());
    return recalled;
  }

  async command(command: CommandBody): Promise<Ack> {
    return await this.#options.client.command(this.sessionId, command);
  }

  /** Throws the session's error when it refuses. */
  async commandOrThrow(command: CommandBody): Promise<Ack & { ok: true }> {
    return granted(await this.command(command));
  }

  /** Resolves with the client message id when the session has accepted it. */
  async send(text: string, to?: readonly string[]): Promise<string> {
    const clientMessageId = newId();
    await this.commandOrThrow({ type: "send", text, clientMessageId, ...(to === undefined ? {} : { to: [...to] }) });
    if (this.#isUntitled) {
      this.#isUntitled = false;
      await this.command({ type: "rename", title: withEllipsis(text.trim().replaceAll(/\s+/g, " "), TITLE_CHARS_MAX) });
    }
    return clientMessageId;
  }

  /** Resolves with true when the condition is met, with false on timeout. */
  async until(isMet: (transcript: Transcript) => boolean, timeoutMs?: number): Promise<boolean> {
    if (isMet(this.transcript)) return true;
    const met = Promise.withResolvers<boolean>();
    const waiting = { isMet, resolve: () => met.resolve(true) };
    this.#waiting.add(waiting);
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => met.resolve(false), timeoutMs);
    try {
      return await met.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    }
  }

  /** Answers with the safe default. No effect when another client has already answered. */
  async decline({ requestId, default: result }: OpenRequest): Promise<void> {
    await this.command({ type: "answer", requestId, result });
  }

  /** Ends the turns of this program; those of other clients continue. */
  async settle({ graceMs, settleMs }: { graceMs: number; settleMs: number }): Promise<void> {
    for (const request of this.head.requests) if (this.#isOwn(request)) await this.decline(request);
    const isDone = ({ head }: Transcript) => !isRunning(head) && head.council.state !== "running";
    if (!(await this.until(isDone, graceMs))) {
      await this.command({ type: "interrupt", scope: "own" });
      await this.until(({ head }) => !this.#hasOwnTurns(head), settleMs);
    }
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.resolve(), settleMs);
    await Promise.race([this.flush(), late.promise]);
    clearTimeout(timer);
  }

  /** Resolves when all changes were delivered, also to a slow reader. */
  async flush(): Promise<void> {
    while (this.#room !== undefined) await this.#room;
  }

  /** Re-evaluates pending conditions after a change outside the session. */
  recheck(): void {
    for (const { isMet, resolve } of this.#waiting) if (isMet(this.transcript)) resolve();
  }

  close(): void {
    this.#view?.close();
    for (const { resolve } of this.#waiting) resolve();
  }

  #changed(transcript: Transcript, events: readonly SessionEvent[]): void {
    this.#transcript = transcript;
    for (const event of events) if (event.type === "user_message") this.#note(event);
    if (this.#onChange !== undefined) this.#emit(events);
    else this.#missed.add(events);
    this.recheck();
  }

  #emit(events: readonly SessionEvent[]): void {
    const room = this.#room ?? this.#options.room?.();
    if (room === undefined) return this.#onChange?.(this.transcript, events);
    this.#missed.add(events);
    this.#room ??= Promise.resolve(room)
      .then(() => {
        this.#room = undefined;
        this.#emitMissed();
      })
      .catch(this.#options.onLost);
  }

  #emitMissed(): void {
    const { events, leftOut } = this.#missed.drain();
    if (leftOut > 0) this.#options.onGap(formatGap(leftOut));
    this.#emit(events);
  }

  #note({ messageId, clientId }: { messageId: string; clientId?: string | undefined }): void {
    if (clientId === this.#options.client.clientId) this.#own.add(messageId);
  }

  /** Whether it was caused by a message of this program. */
  #isOwn({ turnId }: { turnId?: string | undefined }): boolean {
    const turn = turnId === undefined ? undefined : this.head.openTurns[turnId];
    return turn !== undefined && this.#isOwnTurn(turn);
  }

  #isOwnTurn({ rootMessageId, messageIds }: { rootMessageId?: string; messageIds: readonly string[] }): boolean {
    return [...messageIds, rootMessageId ?? ""].some((id) => this.#own.has(id));
  }

  isOwnRequest(request: OpenRequest): boolean {
    return this.#isOwn(request);
  }

  #hasOwnTurns(head: Head): boolean {
    return Object.values(head.openTurns).some((turn) => this.#isOwnTurn(turn));
  }
}

function formatGap(leftOut: number): string {
  const what = leftOut === 1 ? "1 event was" : `${leftOut} events were`;
  return `The client stopped reading, so ${what} skipped. Complete texts follow; the log has everything.`;
}
