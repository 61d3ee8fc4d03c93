/**
 * One session as a stream of event lines, derived from the transcript; each call emits what is new.
 * Promises: between `message_start` and `message_end` of an assistant message no other one starts or ends; every turn
 * ends before `agent_end`; a message has the same timestamp in all its lines, unique among assistant messages.
 */
import type { SessionEvent } from "../../../src/protocol/index.ts";
import {
  deliveriesOf,
  isRunning,
  loadedMessages,
  membersInOrder,
  messageAt,
  turnById,
  type Head,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
  type UserMessage,
  addressedText,
  isQuiet,
} from "../../../src/transcript/index.ts";
import { newestOf } from "./line-limits.ts";
import { userMessage, type Message } from "./structs.ts";
import { TurnRenderer, type Speaker, type RenderContext } from "./turn-renderer.ts";
import type { Line, WireEvent } from "./wire-event.ts";

/** History sent to a client that connects later. */
export const HISTORY_MESSAGES_MAX = 256;
/** `agent_end` repeats at most this many messages of the run. */
const RUN_MESSAGES_MAX = 100;

export class SessionStream {
  readonly #sessionId: string;
  #transcript: Transcript;
  #lines: Line[] = [];
  #eventSeq = 0;
  #lastStamp = 0;
  #nextPosition = 0;
  #isBusy = false;
  /** Stopped: pending messages start with the next message, not by themselves. */
  #isHeld = false;
  /** The newest message. */
  #newest: UserMessage | TurnMessage | undefined;
  #run: Message[] = [];
  #failures: string[] = [];
  #completed = 0;
  readonly #renderers = new Map<string, TurnRenderer>();
  /** Sent when the open message has ended. */
  #waiting: Message[] = [];
  readonly #context: RenderContext;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#sessionId = transcript.head.sessionId;
    this.#context = {
      holder: undefined,
      leave: () => this.#leave(),
      emitMessage: (message) => this.#emitMessage(message),
      stampOf: (ts) => this.#stamp(ts),
      emit: (event) => this.#emit(event),
      addToRun: (message) => this.#addToRun(message),
      speaker: (turn) => speakerOf(this.#transcript.head, turn),
      isAlone: () => this.#renderers.size <= 1,
    };
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The history, oldest first, and the running turns. */
  begin(): Line[] {
    const { head } = this.#transcript;
    const shown = [...loadedMessages(this.#transcript)].filter((one) => one.seq > head.clearedSeq);
    this.#nextPosition = head.messageCount;
    const open = shown.filter((one): one is TurnMessage => one.kind === "turn" && one.end === undefined);
    const openFrom = open[0]?.position ?? Infinity;
    // As live: what was written while a turn runs follows what the turn had said.
    const isLater = (one: ShownMessage) => one.kind === "user" && one.position > openFrom;
    const recalled = shown.slice(-HISTORY_MESSAGES_MAX);
    for (const message of recalled) if (!isLater(message)) this.#recall(message);
    for (const turn of open) this.#openTurn(turn);
    this.#advance();
    for (const message of recalled) if (isLater(message)) this.#recall(message);
    this.#follow();
    return this.#flush();
  }

  /** `events` are those since the last call; none after a gap. */
  show(transcript: Transcript, events: readonly SessionEvent[]): Line[] {
    this.#transcript = transcript;
    for (; this.#nextPosition < transcript.head.messageCount; this.#nextPosition += 1) {
      const message = messageAt(transcript, this.#nextPosition);
      if (message?.kind === "user") this.#onUserMessage(message);
      else if (message?.kind === "turn") this.#openTurn(message);
      if (message?.kind === "user" || message?.kind === "turn") this.#newest = message;
    }
    for (const event of events) {
      if (event.type === "output_cancelled") this.#isHeld = true;
      if (event.type === "user_message" || event.type === "turn_start") this.#isHeld = false;
      if (event.type !== "turn_start" || this.#renderers.has(event.turnId)) continue;
      const turn = turnById(transcript, event.turnId);
      // Turns at their own position were handled above; this one replaces another.
      if (turn !== undefined && turn.replaced.length > 0) this.#openTurn(turn);
    }
    this.#follow();
    return this.#flush();
  }

  /** Ends open messages without an outcome. */
  abandon(): Line[] {
    if (this.#isBusy) this.#emit({ type: "agent_end", data: [[]] });
    this.#isBusy = false;
    this.#renderers.clear();
    return this.#flush();
  }

  #start(): void {
    this.#isBusy = true;
    this.#run = [];
    this.#failures = [];
    this.#completed = 0;
    this.#emit({ type: "agent_start" });
  }

  #openTurn(turn: TurnMessage): void {
    if (!this.#isBusy) this.#start();
    this.#renderers.set(turn.turnId, new TurnRenderer(this.#context, turn));
  }

  /** Lets every turn emit, and reports when none has more. */
  #follow(): void {
    this.#advance();
    const { head } = this.#transcript;
    if (!this.#isBusy || this.#renderers.size > 0 || isRunning(head)) return;
    if (!this.#isHeld && (!isQuiet(head) || this.#isUndelivered())) return;
    this.#isBusy = false;
    const [failure] = this.#failures;
    if (failure !== undefined && this.#completed === 0) this.#emit({ type: "error", data: [failure, null] });
    this.#emit({ type: "agent_end", data: [newestOf(this.#run)] });
    this.#run = [];
  }

  #advance(): void {
    let isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (const [turnId, renderer] of this.#renderers) {
        const turn = turnById(this.#transcript, turnId) ?? lost(renderer.turn);
        if (renderer.advance(turn)) isChanged = true;
        if (renderer.isFinished) this.#dismiss(turnId, turn);
      }
    }
  }

  #dismiss(turnId: string, { end, member }: TurnMessage): void {
    this.#renderers.delete(turnId);
    if (end?.outcome === "completed") this.#completed += 1;
    if (end?.outcome !== "errored" && end?.outcome !== "timed_out") return;
    this.#failures.push(`${member}: ${end.error?.message ?? end.reason ?? end.outcome}`);
  }

  /** Ended turns are completed first. */
  #onUserMessage(message: UserMessage): void {
    this.#advance();
    if (!this.#isBusy && message.origin === undefined) this.#start();
    this.#emitUserMessage(message);
  }

  /** The newest message is undelivered; one from another program may have no recipient here. */
  #isUndelivered(): boolean {
    const newest = this.#newest === undefined ? undefined : messageAt(this.#transcript, this.#newest.position);
    if (newest?.kind !== "user" || newest.origin !== undefined) return false;
    const deliveries = deliveriesOf(this.#transcript.head, newest);
    return newest.to.some((name) => !Object.hasOwn(deliveries, name));
  }

  #emitUserMessage(message: UserMessage): void {
    this.#emitMessage(userMessage(addressedText(message), this.#stamp(message.ts)));
  }

  #emitMessage(message: Message): void {
    if (this.#context.holder !== undefined) {
      this.#waiting.push(message);
      return;
    }
    this.#addToRun(message);
    this.#emit({ type: "message_start", data: [message] });
    this.#emit({ type: "message_end", data: [message] });
  }

  #leave(): void {
    this.#context.holder = undefined;
    for (const message of this.#waiting.splice(0)) this.#emitMessage(message);
  }

  /** A history message has only a start and an end, and nobody is busy. */
  #recall(message: ShownMessage): void {
    if (message.kind === "user") this.#emitUserMessage(message);
    if (message.kind !== "turn" || message.end === undefined) return;
    const context: RenderContext = {
      ...this.#context,
      holder: undefined,
      leave: () => (context.holder = undefined),
      addToRun: () => {},
      isAlone: () => true,
      emit: ({ type, data = [] }) => {
        if (type !== "message_end") return;
        this.#emit({ type: "message_start", data });
        this.#emit({ type, data });
      },
    };
    new TurnRenderer(context, message).advance(message);
  }

  #stamp(ts: number): number {
    this.#lastStamp = Math.max(Math.floor(ts), this.#lastStamp + 1);
    return this.#lastStamp;
  }

  #addToRun(message: Message): void {
    this.#run.push(message);
    if (this.#run.length > RUN_MESSAGES_MAX) this.#run = this.#run.slice(-RUN_MESSAGES_MAX);
  }

  #emit(event: WireEvent): void {
    this.#lines.push({ type: "event", session_id: this.#sessionId, event_seq: this.#eventSeq, event });
    this.#eventSeq += 1;
  }

  #flush(): Line[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }
}

/** With several members every message starts with its name, in its own block. */
function speakerOf(head: Head, turn: TurnMessage): Speaker {
  const { member, model, depth } = turn;
  const memberState = Object.hasOwn(head.members, member) ? head.members[member] : undefined;
  const isAlone = membersInOrder(head).length <= 1 && depth === 0;
  const name = depth === 0 ? member : `${member} (subagent)`;
  return {
    provider: member,
    model: model ?? memberState?.model ?? memberState?.spec.model ?? memberState?.spec.kind ?? "unknown",
    kind: memberState?.spec.kind,
    heading: isAlone ? undefined : `**${name}**\n\n`,
  };
}

/** A turn dropped from memory while being sent: its outcome is unknown here. */
function lost(turn: TurnMessage): TurnMessage {
  if (turn.end !== undefined) return turn;
  const { seq, ts } = turn;
  return {
    ...turn,
    end: { seq, ts, outcome: "interrupted", reason: "its end was not received", durationMs: 0 },
  };
}
