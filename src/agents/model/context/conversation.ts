/**
 * Conversation with the model: the replacement of compacted turns, then whole turns, each starting with a user message.
 * What is sent is always valid: every tool call has a result, and no two user messages are adjacent, which some servers
 * reject. The same history gives the same messages.
 */
import { imagesOf, type ShownImage } from "../../attached.ts";
import type { ConversationHistory, HistoryTurn, PinnedTurn, TurnPosition } from "../../history.ts";
import type { ContextEntry, Json } from "../../../protocol/index.ts";
import type { Fields } from "../../../kit/fields.ts";
import { bytesOf, type Message, type SentCall } from "../requests/message.ts";
import { sentCall } from "./sent-calls.ts";
import { isReasoning } from "../requests/reasoning.ts";
import { tokensOf } from "../requests/usage.ts";

export interface DroppedCounts {
  turnsDropped: number;
  resultsDropped: number;
}

/** A turn in memory; without a position when there is no log. */
export interface ConversationTurn {
  readonly turnId: string;
  readonly position: TurnPosition | undefined;
  /** The user's own texts, steers included. */
  readonly userTexts: readonly string[];
  readonly messageIds: readonly string[];
  readonly messages: readonly Message[];
  /** What the user pinned of a compacted turn. */
  readonly isQuestionOnly?: true;
}

interface OpenTurn extends ConversationTurn {
  readonly userTexts: string[];
  readonly messageIds: string[];
  readonly messages: Message[];
}

/** Remainder of compacted turns. */
export interface Folded {
  readonly handover: string;
  readonly userTexts: readonly string[];
  readonly pinned: readonly ConversationTurn[];
}

export interface TurnFacts {
  readonly turnId?: string;
  readonly position?: TurnPosition | undefined;
  /** The user's own text in the question. */
  readonly userText?: string | undefined;
}

const DROPPED_RESULT = "(Output dropped: the conversation became too long.)";
const INTERRUPTED = "Interrupted: this call was stopped before it had a result.";
const HANDED_OVER = "I have read the hand-over and will continue from there.";
const QUESTION_ONLY = "(My answer is part of the hand-over.)";

export class Conversation {
  #folded: Folded | undefined;
  #turns: OpenTurn[] = [];
  #forgotten: { turns: boolean; folded: boolean; results: number[] } = { turns: false, folded: false, results: [] };
  /** Turns since the last compaction, or since the start. */
  #turnsSince = Number.POSITIVE_INFINITY;
  /** Turns since a compaction failed. */
  #turnsSinceFailure = Number.POSITIVE_INFINITY;
  #isUndone = false;

  /** Replaces the whole conversation. */
  restore(history: ConversationHistory): void {
    this.#turns = [];
    this.#folded = undefined;
    this.#forgotten = { turns: false, folded: false, results: [] };
    this.#isUndone = history.isUndone === true;
    this.#turnsSince = Number.POSITIVE_INFINITY;
    this.#turnsSinceFailure = Number.POSITIVE_INFINITY;
    const { folded } = history;
    if (folded !== undefined) {
      for (const turn of history.pinned) this.#replay(turn);
      const pinned = this.#turns.map((turn) => asPinned(turn, folded.pinned));
      this.#turns = [];
      this.#folded = { handover: folded.handover, userTexts: folded.userTexts, pinned };
    }
    for (const turn of history.turns) this.#replay(turn);
    if (folded !== undefined) this.#turnsSince = history.turns.filter(({ seq }) => seq > folded.seq).length;
  }

  beginTurn(
    text: string,
    images: readonly ShownImage[] = [],
    { turnId = "", position, userText }: TurnFacts = {},
  ): void {
    this.#turnsSince += 1;
    this.#turnsSinceFailure += 1;
    this.#turns.push({
      turnId,
      position,
      userTexts: userText === undefined ? [] : [userText],
      messageIds: [...(position?.messageIds ?? [])],
      messages: [{ role: "user", content: text, ...(images.length === 0 ? {} : { images }) }],
    });
  }

  /** A user message in mid-turn. */
  addUser(text: string, messageId?: string): void {
    const { messages, userTexts, messageIds } = this.#current();
    userTexts.push(text);
    if (messageId !== undefined) messageIds.push(messageId);
    const last = messages.at(-1);
    if (last?.role === "user") messages[messages.length - 1] = { ...last, content: `${last.content}\n\n${text}` };
    else messages.push({ role: "user", content: text });
  }

  addReply(text: string, calls: readonly SentCall[], providerMetadata: readonly Fields[] = []): void {
    const content = text === "" ? (calls.length === 0 ? "(no answer)" : null) : text;
    this.#current().messages.push({
      role: "assistant",
      content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(providerMetadata.length === 0 ? {} : { providerMetadata }),
    });
  }

  addResult(callId: string, content: string): void {
    this.#current().messages.push({ role: "tool", tool_call_id: callId, content });
  }

  /** Completes the turn, however it ended. `partial` is text not added yet. */
  endTurn(partial: string, note: string): void {
    const turn = this.#turns.at(-1)?.messages;
    if (turn === undefined) return;
    // Only the last reply can have calls without a result. Ids may repeat, so only what follows it counts.
    const lastReply = turn.findLastIndex((message) => message.role === "assistant");
    const reply = turn[lastReply];
    const after = turn.slice(lastReply + 1);
    const answered = new Set(after.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : [])));
    for (const call of (reply?.role === "assistant" ? reply.tool_calls : undefined) ?? []) {
      if (!answered.has(call.id)) turn.push({ role: "tool", tool_call_id: call.id, content: INTERRUPTED });
    }
    const last = turn.at(-1);
    const isClosed = last?.role === "assistant" && last.tool_calls === undefined;
    if (isClosed && partial === "") return;
    turn.push({ role: "assistant", content: partial === "" ? note : `${partial}\n\n${note}` });
  }

  messages(system: string, { withImages = true }: { withImages?: boolean } = {}): Message[] {
    const messages = this.#allMessages();
    return [{ role: "system", content: system }, ...(withImages ? messages : messages.map(withoutImages))];
  }

  get tokens(): number {
    return tokensOf(bytesOf(this.#allMessages()));
  }

  get turns(): readonly ConversationTurn[] {
    return this.#turns;
  }

  get folded(): Folded | undefined {
    return this.#folded;
  }

  /** No automatic compaction: at least one whole turn lies between two attempts. */
  get isPaused(): boolean {
    return this.#turnsSince < 2 || this.hasFailed;
  }

  /** A compaction failed recently. */
  get hasFailed(): boolean {
    return this.#turnsSinceFailure < 2;
  }

  noteFailure(): void {
    this.#turnsSinceFailure = 0;
  }

  /** The user undid the last compaction: the next one waits as long as possible. */
  get isUndone(): boolean {
    return this.#isUndone;
  }

  /** Replaces the turns before `count`. */
  fold(count: number, folded: Folded): void {
    this.#turns.splice(0, count);
    this.#folded = folded;
    this.#turnsSince = 0;
    this.#turnsSinceFailure = Number.POSITIVE_INFINITY;
    this.#isUndone = false;
  }

  /** Drops the oldest turns until it fits, then the oldest tool results of the running turn, then the summary. */
  fit(tokensMax: number): DroppedCounts {
    const dropped: DroppedCounts = { turnsDropped: 0, resultsDropped: 0 };
    let { tokens } = this;
    while (this.#turns.length > 1 && tokens > tokensMax) {
      this.#dropTurns(1);
      dropped.turnsDropped += 1;
      ({ tokens } = this);
    }
    const turn = this.#turns.at(-1)?.messages ?? [];
    // The newest results stay: the model is about to use them.
    const results = turn.flatMap((message, at) => (message.role === "tool" ? [at] : [])).slice(0, -1);
    for (const at of results) {
      if (this.tokens <= tokensMax) break;
      if (this.#dropResult(at)) dropped.resultsDropped += 1;
    }
    if (this.#folded !== undefined && this.tokens > tokensMax) {
      this.#dropFolded();
      dropped.turnsDropped += 1;
    }
    return dropped;
  }

  /** Returns a function that restores the present state. */
  snapshot(): () => void {
    const turns = this.#turns.map((turn) => ({ ...turn, messages: [...turn.messages] }));
    const folded = this.#folded;
    const forgotten = { ...this.#forgotten, results: [...this.#forgotten.results] };
    return () => {
      this.#turns = turns;
      this.#folded = folded;
      this.#forgotten = forgotten;
    };
  }

  /** At least half of the older turns; 0 when nothing is left to drop. */
  forgetHalf(): number {
    const dropped = Math.max(0, Math.ceil((this.#turns.length - 1) / 2));
    this.#dropTurns(dropped);
    return dropped;
  }

  /** What was dropped since the last call, for the log; undefined when nothing was. */
  consumeForgotten(): Extract<ContextEntry, { kind: "forgot" }> | undefined {
    const { turns, folded, results } = this.#forgotten;
    if (!turns && !folded && results.length === 0) return undefined;
    this.#forgotten = { turns: false, folded: false, results: [] };
    const first = this.#turns[0];
    return {
      kind: "forgot",
      ...(turns && first !== undefined ? { firstKeptTurnId: first.turnId } : {}),
      ...(turns && first?.position !== undefined ? { firstKeptSeq: first.position.seq } : {}),
      ...(results.length === 0 ? {} : { results }),
      ...(folded ? { folded } : {}),
    };
  }

  #allMessages(): Message[] {
    const turns = [...(this.#folded?.pinned ?? []), ...this.#turns].flatMap(({ messages }) => messages);
    if (this.#folded === undefined) return turns;
    return [{ role: "user", content: this.#folded.handover }, { role: "assistant", content: HANDED_OVER }, ...turns];
  }

  #replay(turn: HistoryTurn): void {
    for (const step of turn.steps) {
      if (step.kind === "asked") {
        const images = imagesOf({ attached: step.images, attachments: [] });
        this.beginTurn(step.text, images, { turnId: turn.turnId, position: turn, userText: step.userText });
      } else if (step.kind === "steered") this.addUser(step.text, step.messageId);
      else if (step.kind === "forgot") this.#forgetAgain(step);
      else if (step.kind === "not_folded") this.noteFailure();
      else {
        this.addReply(step.text, step.calls.map(sentCall), step.kept.filter(isFields));
        for (const { id, result } of step.calls) if (result !== undefined) this.addResult(id, result);
      }
    }
    this.endTurn(turn.partial, noteFor(turn));
  }

  #forgetAgain({ firstKeptTurnId, results = [], folded }: Extract<ContextEntry, { kind: "forgot" }>): void {
    const first = this.#turns.findIndex(({ turnId }) => turnId === firstKeptTurnId);
    if (first > 0) this.#turns.splice(0, first);
    for (const at of results) this.#dropResult(at);
    if (folded === true) this.#folded = undefined;
    this.#forgotten = { turns: false, folded: false, results: [] };
  }

  #dropTurns(count: number): void {
    if (count === 0) return;
    this.#turns.splice(0, count);
    this.#forgotten.turns = true;
  }

  #dropFolded(): void {
    this.#folded = undefined;
    this.#forgotten.folded = true;
  }

  /** With the reasoning that led to it, except that of the newest reply. False when nothing would be gained. */
  #dropResult(at: number): boolean {
    const turn = this.#turns.at(-1)?.messages ?? [];
    const message = turn[at];
    if (message?.role !== "tool") return false;
    const newest = turn.findLastIndex(({ role }) => role === "assistant");
    const calling = turn.findLastIndex(({ role }, index) => index < at && role === "assistant");
    const bare = calling === newest ? undefined : withoutThoughts(turn[calling]);
    const isLong = message.content.length > DROPPED_RESULT.length;
    if (!isLong && bare === undefined) return false;
    if (isLong) turn[at] = { ...message, content: DROPPED_RESULT };
    if (bare !== undefined) turn[calling] = bare;
    this.#forgotten.results.push(at);
    return true;
  }

  #current(): OpenTurn {
    const turn = this.#turns.at(-1);
    if (turn !== undefined) return turn;
    const first: OpenTurn = { turnId: "", position: undefined, userTexts: [], messageIds: [], messages: [] };
    this.#turns.push(first);
    return first;
  }
}

/** Stands in for the answer of an interrupted turn. */
export function noteFor({
  outcome,
  isCut,
}: {
  readonly outcome: HistoryTurn["outcome"];
  readonly isCut?: true;
}): string {
  if (outcome === "completed") return "(done)";
  if (isCut === true) return "(The program ended here before I was done.)";
  return outcome === "interrupted" ? "(The user interrupted me here.)" : "(My turn failed here.)";
}

/** A turn that survives compaction: whole, or its question only. */
export function asPinned(
  turn: ConversationTurn,
  pinned: readonly Pick<PinnedTurn, "turnId" | "whole">[],
): ConversationTurn {
  const [question] = turn.messages;
  if (
    question === undefined ||
    turn.isQuestionOnly === true ||
    pinned.find(({ turnId }) => turnId === turn.turnId)?.whole === true
  )
    return turn;
  return { ...turn, messages: [question, { role: "assistant", content: QUESTION_ONLY }], isQuestionOnly: true };
}

/** Undefined when it has none. Encrypted reasoning stays: only its server knows what depends on it. */
function withoutThoughts(message: Message | undefined): Message | undefined {
  if (
    message?.role !== "assistant" ||
    message.providerMetadata === undefined ||
    !message.providerMetadata.some(isReasoning)
  )
    return undefined;
  const { providerMetadata, ...rest } = message;
  const sealed = providerMetadata.filter((one) => !isReasoning(one));
  return sealed.length === 0 ? rest : { ...rest, providerMetadata: sealed };
}

/** The text may say that they are shown. */
function withoutImages(message: Message): Message {
  if (message.role !== "user" || message.images === undefined) return message;
  return {
    role: "user",
    content: `${message.content}\n\n(The images are not visible to you: this model does not support images.)`,
  };
}

function isFields(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
