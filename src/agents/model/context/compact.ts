/**
 * Compaction: the model summarises older turns in a call without tools; the newest turns stay.
 * The cut is between turns, so no result loses its call; pinned turns stay; nothing changes when it rejects.
 */
import { randomBytes } from "node:crypto";
import type { Usage } from "../../../protocol/index.ts";
import type { AgentEvent } from "../../port.ts";
import type { Pinned, ConversationHistory } from "../../history.ts";
import { askModel } from "../requests/ask-model.ts";
import { asPinned, type ConversationTurn } from "./conversation.ts";
import { chooseUserTexts, clipped, handoverText, summaryQuestion } from "./handover-text.ts";
import type { AgentState } from "../agent-state.ts";
import { bytesOf, type Message } from "../requests/message.ts";
import { compactAt, fillOf, presentWindow, tokensBeside, restoreHistory } from "./meter.ts";
import { ModelError } from "../requests/model-error.ts";
import type { RunningTurn } from "../running-turn.ts";
import { tokensOf } from "../requests/usage.ts";
import { chooseModel, presentModel } from "../known-models.ts";
import { systemPromptFor } from "./system-prompt.ts";

type Compacted = Extract<AgentEvent, { type: "compacted" }>;

/** Turns that stay, beside the running one. */
const TURNS_RETAINED = 6;
const BYTES_PER_TOKEN = 4;
/** Shares of the window, for models with a small one. */
const SHARE_FOR_QUESTION = 0.5;
const SHARE_FOR_SUMMARY = 0.08;
const SHARE_FOR_USER_TEXTS = 0.05;
const SHARE_FOR_PINS = 0.1;
const QUESTION_BYTES_MAX = 1_048_576;
const SUMMARY_BYTES_MAX = 24 * 1024;
/** User texts that are quoted literally. */
const USER_TEXTS_BYTES_MAX = 16 * 1024;
const PINS_BYTES_MAX = 48 * 1024;
/** Capacity of one log event, with room for the rest of it. */
const ENCODED_BYTES_MAX = 200 * 1024;

export interface CompactOrder {
  readonly focus?: string | undefined;
  /** The last turn is still running. */
  readonly isInTurn: boolean;
  readonly system: string;
}

/** Undefined when there is something to compact. */
function whyNothingToFold(state: AgentState, order: CompactOrder): string | undefined {
  const { turns } = state.conversation;
  if (foldCount(state, order) > 0) return undefined;
  const count = turns.length === 1 ? "1 turn" : `${turns.length} turns`;
  return `Nothing to compact: ${state.spec.name} has only ${count}.`;
}

/** `aside` is the turn of the summary: its text is not the member's answer. */
async function compactConversation(state: AgentState, aside: RunningTurn, order: CompactOrder): Promise<Compacted> {
  const { conversation, setup } = state;
  const always = tokensBeside(state, order.system);
  const before = fillOf(state, always);
  const scale = before.tokens / Math.max(1, conversation.tokens + always);
  const first = foldCount(state, order);
  const pins = (await setup.pinned?.()) ?? [];
  const { text: summary, usage } = await summarise(state, aside, { ...order, first });
  const { turns, folded } = conversation;
  const pinned = pinnedTurns([...(folded?.pinned ?? []), ...turns.slice(0, first)], pins);
  const stays = [...pinned, ...turns.slice(first)];
  const quotedPins = pins.filter(({ id }) => !stays.some((turn) => turn.turnId === id || turn.messageIds.includes(id)));
  const userTexts = [...(folded?.userTexts ?? []), ...turns.slice(0, first).flatMap((turn) => turn.userTexts)];
  const composed = compose(state, { summary, userTexts, quotedPins, turns: first });
  const firstRemaining = turns[first];
  conversation.fold(first, { handover: composed.told, userTexts: composed.words, pinned });
  const after = Math.ceil((conversation.tokens + always) * scale);
  state.reading = { tokens: after, estimate: conversation.tokens, measured: before.measured };
  return {
    type: "compacted",
    before: before.tokens,
    after,
    measured: before.measured,
    ...composed,
    folded: first,
    ...(firstRemaining === undefined ? {} : { firstKeptTurnId: firstRemaining.turnId }),
    ...(firstRemaining?.position === undefined
      ? {}
      : { firstKeptSeq: Math.max(1, Math.min(firstRemaining.position.fromSeq, firstRemaining.position.seq)) }),
    pinned: pinned.flatMap(({ turnId, position, isQuestionOnly }) =>
      position === undefined ? [] : [{ turnId, seq: position.seq, whole: isQuestionOnly !== true }],
    ),
    quoted: quotedPins.map(({ id }) => id),
    usage,
    ...(order.focus === undefined ? {} : { focus: order.focus }),
  };
}

/**
 * Before a model call: when the window is four fifths full, or after the server rejected the conversation as too long
 * (`onRefused` is called first). On failure the turn continues without a summary. True when the conversation became
 * shorter.
 */
export async function compactWhenDue(
  state: AgentState,
  turn: RunningTurn,
  { system, onRefused }: { readonly system: string; readonly onRefused?: () => void },
): Promise<boolean> {
  const order: CompactOrder = { isInTurn: true, system };
  if (!isDue(state, order, onRefused !== undefined)) return false;
  onRefused?.();
  turn.show({ type: "status", state: "working", detail: "compacting the conversation" });
  const aside = turn.beginAside();
  const cancel = state.clock.after(state.limits.summaryMs, () => aside.stop("it took too long"));
  try {
    const compacted = await compactConversation(state, aside, order);
    turn.signal.throwIfAborted();
    if (compacted.usage !== undefined) turn.addUsage(compacted.usage);
    turn.show({ ...compacted, automatic: true });
    return true;
  } catch (thrown) {
    turn.signal.throwIfAborted();
    const reason = whyOf(thrown);
    state.conversation.noteFailure();
    turn.show({ type: "context_entry", entry: { kind: "not_folded", reason } });
    const message = `Older turns of ${state.spec.name} could not be summarised (${reason}); the oldest are dropped when there is no room. They stay in the log, where history_search finds them.`;
    turn.show({ type: "warning", code: "compaction_failed", message });
    return false;
  } finally {
    cancel();
    turn.release(aside);
  }
}

function isDue(state: AgentState, order: CompactOrder, isRefused: boolean): boolean {
  const { conversation, depth } = state;
  // A conversation that cannot be made short enough is not summarised again and again.
  if (depth > 0 || conversation.isPaused || !(isRefused || isFull(state, order))) return false;
  return foldCount(state, order) > 0;
}

function isFull(state: AgentState, { system }: CompactOrder): boolean {
  const window = presentWindow(state);
  return window !== undefined && fillOf(state, tokensBeside(state, system)).tokens >= compactAt(state, window);
}

function whyOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Fewer than TURNS_RETAINED stay only if that many would fill the window. */
function foldCount(state: AgentState, { isInTurn, system }: CompactOrder): number {
  const { turns } = state.conversation;
  const first = Math.max(0, turns.length - TURNS_RETAINED - (isInTurn ? 1 : 0));
  const window = presentWindow(state);
  if (window === undefined) return first;
  const always = tokensBeside(state, system);
  const scale = fillOf(state, always).tokens / Math.max(1, state.conversation.tokens + always);
  const room = compactAt(state, window) / scale - always - window * (SHARE_FOR_SUMMARY + SHARE_FOR_USER_TEXTS);
  let count = first;
  while (count < turns.length - 1 && tokensOf(bytesOf(turns.slice(count).flatMap(({ messages }) => messages))) > room)
    count += 1;
  return count;
}

async function summarise(
  state: AgentState,
  aside: RunningTurn,
  { system, focus, first }: CompactOrder & { first: number },
): Promise<{ text: string; usage: Usage }> {
  const { conversation, quirks } = state;
  const question = summaryQuestion({
    folded: [...(conversation.folded?.pinned ?? []), ...conversation.turns.slice(0, first)],
    earlier: conversation.folded?.handover,
    focus,
    mark: newMark(),
    // With an unknown window: half of the size that the server accepted or rejected.
    bytesMax: budget(
      state,
      SHARE_FOR_QUESTION,
      Math.min(QUESTION_BYTES_MAX, conversation.tokens * (BYTES_PER_TOKEN / 2)),
    ),
  });
  const messages: Message[] = [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
  const pendingReply = askModel({
    ...state,
    turn: aside,
    request: (model) => ({
      model,
      quirks: quirks.of(model),
      messages,
      tools: [],
      wantsUsage: quirks.takesStreamOptions,
    }),
    onText: () => undefined,
  });
  const { reply } = await aside.unlessStopped(pendingReply);
  const text = clipped(reply.text.trim(), budget(state, SHARE_FOR_SUMMARY, SUMMARY_BYTES_MAX));
  if (text === "") {
    throw new ModelError({ kind: "final", code: "empty_answer", message: "the model gave an empty summary" });
  }
  const estimated = {
    inputTokens: tokensOf(bytesOf(messages)),
    outputTokens: tokensOf(reply.charsOut),
    estimated: true,
  };
  return { text, usage: reply.usage ?? estimated };
}

interface Material {
  readonly summary: string;
  readonly userTexts: readonly string[];
  readonly quotedPins: readonly Pinned[];
  readonly turns: number;
}

/** As much as fits into one log event. */
function compose(
  state: AgentState,
  { summary, userTexts, quotedPins, turns }: Material,
): { summary: string; told: string; words: string[] } {
  const mark = newMark();
  const { sessionId } = state.setup;
  for (let part = 1; ; part /= 2) {
    const chosen = chooseUserTexts(userTexts, budget(state, SHARE_FOR_USER_TEXTS, USER_TEXTS_BYTES_MAX) * part);
    const pinsMax = budget(state, SHARE_FOR_PINS, PINS_BYTES_MAX) * part;
    const pinned = quotedPins.map(({ by, text }) => ({
      by,
      text: clipped(text, Math.floor(pinsMax / quotedPins.length)),
    }));
    const short = clipped(summary, Math.max(1_024, Math.floor(SUMMARY_BYTES_MAX * part)));
    const text = handoverText({ sessionId, turns, summary: short, userTexts: chosen, pinned, mark });
    const composed = { summary: short, told: text, words: chosen };
    if (part < 0.01 || Buffer.byteLength(JSON.stringify(composed)) <= ENCODED_BYTES_MAX) return composed;
  }
}

/** A pinned turn stays whole; of a turn that answers a pinned message, the question. */
function pinnedTurns(turns: readonly ConversationTurn[], pins: readonly Pinned[]): ConversationTurn[] {
  const ids = new Set(pins.map(({ id }) => id));
  return turns.flatMap((turn) => {
    if (turn.position === undefined) return [];
    const whole = ids.has(turn.turnId);
    if (!whole && !turn.messageIds.some((id) => ids.has(id))) return [];
    return [asPinned(turn, [{ turnId: turn.turnId, whole }])];
  });
}

function budget(state: AgentState, share: number, bytesMax: number): number {
  const window = presentWindow(state);
  return window === undefined ? bytesMax : Math.min(bytesMax, Math.floor(window * BYTES_PER_TOKEN * share));
}

/** Unguessable for anyone who is quoted. */
function newMark(): string {
  return randomBytes(9).toString("base64url");
}

// Compaction on request, between turns. Never rejects.
interface CompactRequest {
  readonly focus: string | undefined;
  readonly history: ConversationHistory | undefined;
}

export async function compactBetweenTurns(
  state: AgentState,
  turn: RunningTurn,
  { focus, history }: CompactRequest,
): Promise<AgentEvent> {
  const aside = turn.beginAside();
  const cancel = state.clock.after(state.limits.summaryMs, () => aside.stop("it took too long"));
  try {
    if (history !== undefined) restoreHistory(state, history);
    if (state.choice.isEmpty) await chooseModel(state, aside);
    const order: CompactOrder = { focus, isInTurn: false, system: systemPromptFor(state, presentModel(state)) };
    const nothing = whyNothingToFold(state, order);
    if (nothing !== undefined) return { type: "compact_failed", message: nothing };
    return await compactConversation(state, aside, order);
  } catch (thrown) {
    return { type: "compact_failed", message: whyOf(thrown) };
  } finally {
    cancel();
    turn.release(aside);
  }
}
