/** One session of the stdio program: events become lines, client lines become commands. */
import { type Client, AttachedSession } from "../../src/client/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import {
  isQuiet,
  isRunning,
  loadedMessages,
  type Head,
  type OpenRequest,
  type Transcript,
} from "../../src/transcript/index.ts";
import * as lemon from "./format/lemon.ts";

/** Time for interrupted turns to settle. */
const SETTLE_MS = 10_000;

export interface RunningOptions {
  readonly client: Client;
  readonly sessionId: string;
  readonly isNew: boolean;
  readonly overlays: lemon.OverlayController;
  /** False without a user: requests get their safe default at once, and signals are not sent. */
  readonly hasUi: boolean;
  readonly write: (lines: readonly lemon.Line[]) => void;
  readonly room?: (() => Promise<unknown> | undefined) | undefined;
  readonly onLost: (error: Error) => void;
}

export class RunningSession {
  readonly attached: AttachedSession;
  readonly #options: RunningOptions;
  readonly #requests = new Map<string, OpenRequest>();
  readonly #answered = new Set<string>();
  #stream: lemon.SessionStream | undefined;
  #before: lemon.Counted;
  /** Turns stopped by a reset are not sent any more: the screen was cleared. */
  #isResetting = false;
  /** Open requests are declined because the client leaves. */
  #isSettling = false;

  private constructor(options: RunningOptions, attached: AttachedSession) {
    this.#options = options;
    this.attached = attached;
    this.#before = countedBefore(attached.transcript);
  }

  static async open(options: RunningOptions): Promise<RunningSession> {
    const { sessionId, write, hasUi } = options;
    const onGap = (message: string) =>
      write([hasUi ? lemon.noticeLine(sessionId, message) : lemon.errorLine(message, sessionId)]);
    return new RunningSession(options, await AttachedSession.open({ ...options, onGap }));
  }

  get sessionId(): string {
    return this.attached.sessionId;
  }

  get isStreaming(): boolean {
    return this.#stream?.isBusy ?? false;
  }

  get stats(): lemon.Line {
    const { transcript, head } = this.attached;
    return lemon.statsLine(head, {
      isStreaming: this.isStreaming,
      messages: lemon.messageCount(transcript, this.#before),
      turns: head.turnCount - this.#before.turns,
    });
  }

  /** Sends history, current state and open requests; called once the client knows the session. */
  async begin(): Promise<void> {
    const { write, hasUi } = this.#options;
    const transcript = await this.attached.begin((changed, events) => this.#changed(changed, events));
    this.#stream = new lemon.SessionStream(transcript);
    write(this.#stream.begin());
    if (hasUi) write(lemon.currentSignals(this.sessionId, transcript.head));
    this.#openRequests(transcript);
  }

  /** The same again, for a client that has lost it. */
  recall(): void {
    this.#stream = new lemon.SessionStream(this.attached.transcript);
    this.#options.write(this.#stream.begin());
  }

  async prompt(text: string): Promise<void> {
    await this.attached.send(text);
  }

  async abort(): Promise<void> {
    await this.attached.commandOrThrow({ type: "interrupt", scope: "all" });
  }

  /** Clears members and screens after stopping running turns. True when a turn was running. */
  async reset(): Promise<boolean> {
    const { head } = this.attached;
    const wasRunning = this.isStreaming || !isQuiet(head);
    this.#isResetting = wasRunning;
    try {
      if (wasRunning) {
        await this.abort();
        await this.attached.until((now) => !isRunning(now.head), SETTLE_MS);
      }
      await this.attached.commandOrThrow({ type: "clear" });
      await this.attached.until((now) => now.head.clearedSeq > head.clearedSeq, SETTLE_MS);
      this.#before = countedIn(this.attached.head);
    } finally {
      this.#isResetting = false;
    }
    if (wasRunning && this.#stream !== undefined) this.#options.write(this.#stream.abandon());
    return wasRunning;
  }

  async answer({ requestId, result, error }: lemon.Answer): Promise<void> {
    this.#answered.add(requestId);
    await this.attached.commandOrThrow({ type: "answer", requestId, result, error, by: "rpc" });
  }

  /** After a refused answer: screens close an overlay when they answer it. */
  askAgain(requestId: string): void {
    this.#answered.delete(requestId);
    const request = this.#requests.get(requestId);
    if (request !== undefined) this.#options.write(this.#options.overlays.open(this.sessionId, request));
  }

  async settle(graceMs: number): Promise<void> {
    this.#isSettling = true;
    await this.attached.settle({ graceMs, settleMs: SETTLE_MS });
  }

  close(): void {
    for (const requestId of this.#requests.keys()) {
      this.#options.write(this.#options.overlays.cancel(requestId, "session_closed"));
    }
    this.attached.close();
  }

  #changed(transcript: Transcript, events: readonly SessionEvent[]): void {
    const { write, hasUi } = this.#options;
    if (this.#stream === undefined) return;
    // An overlay is closed before its outcome is sent.
    this.#dropRequests(transcript, events);
    if (!this.#isResetting) write(this.#stream.show(transcript, events));
    if (hasUi) write(events.flatMap((event) => lemon.signalLines(event)));
    this.#openRequests(transcript);
  }

  #dropRequests({ head }: Transcript, events: readonly SessionEvent[]): void {
    const { overlays, write } = this.#options;
    const open = new Set(head.requests.map((request) => request.requestId));
    for (const requestId of this.#requests.keys()) {
      if (open.has(requestId)) continue;
      this.#requests.delete(requestId);
      if (this.#answered.delete(requestId)) continue;
      const end = events.find((event) => event.type === "ui_cancelled" && event.requestId === requestId);
      const answered = this.#isSettling ? "session_closed" : "answered_elsewhere";
      write(overlays.cancel(requestId, end?.type === "ui_cancelled" ? end.reason : answered));
    }
  }

  #openRequests({ head }: Transcript): void {
    const { overlays, write, hasUi } = this.#options;
    for (const request of head.requests) {
      if (this.#requests.has(request.requestId)) continue;
      this.#requests.set(request.requestId, request);
      if (hasUi) write(overlays.open(this.sessionId, request));
      // Requests of other clients' turns are theirs to answer.
      else if (this.attached.isOwnRequest(request)) void this.attached.decline(request).catch(this.#options.onLost);
    }
  }
}

function countedIn({ userCount: users, turnCount: turns }: Head): lemon.Counted {
  return { users, turns };
}

/** For a session cleared before it was opened: everything not known to be newer. */
function countedBefore(transcript: Transcript): lemon.Counted {
  const { head } = transcript;
  if (head.clearedSeq === 0) return { users: 0, turns: 0 };
  const after = [...loadedMessages(transcript)].filter((one) => one.seq > head.clearedSeq);
  return {
    users: head.userCount - after.filter((one) => one.kind === "user").length,
    turns: head.turnCount - after.filter((one) => one.kind === "turn").length,
  };
}
