/**
 * How full a model's window is: by the model's own count as far as it goes, and by four bytes a token for what came
 * after it; by that alone where nobody counts, and then it is said to be an estimate.
 */
import { presentModel, windowOf } from "../known-models.ts";
import type { ConversationHistory } from "../../history.ts";
import type { AgentState } from "../agent-state.ts";
import { tokensOf } from "../requests/usage.ts";
import { bytesOf } from "../requests/message.ts";
import type { Reply } from "../requests/reply-builder.ts";
import type { RunningTurn } from "../running-turn.ts";

/** At this part of the window a conversation is made shorter. */
const COMPACT_AT = 0.8;
/** After the user has undone that: as late as can be, or undoing would be of no use. */
const COMPACT_AT_UNDONE = 0.95;

/** A count this far below the estimate leaves something out, such as what the server had kept from before. */
const PLAUSIBLE_SHARE = 0.25;

/** What a conversation had taken when it was last counted, and what it was estimated at in that moment. */
export interface Reading {
  readonly tokens: number;
  readonly estimate: number;
  readonly measured: boolean;
}

export interface Fill {
  readonly tokens: number;
  readonly measured: boolean;
}

/** `always` is what goes to the model beside the conversation, in tokens. */
export function fillOf({ conversation, reading }: AgentState, always: number): Fill {
  if (reading === null) return { tokens: conversation.tokens + always, measured: false };
  const since = conversation.tokens - reading.estimate;
  return { tokens: Math.max(0, reading.tokens + since), measured: reading.measured };
}

/** Null when the count is none. Call it when the reply it is of has become part of the conversation. */
export function readingOf({ conversation }: AgentState, tokens: number): Reading | null {
  const estimate = conversation.tokens;
  return tokens < estimate * PLAUSIBLE_SHARE ? null : { tokens, estimate, measured: true };
}

/** Null when nobody has told how much the model takes. */
export function presentWindow(state: AgentState): number | null {
  return windowOf(state, presentModel(state));
}

export function compactAt({ conversation }: AgentState, window: number): number {
  return Math.floor(window * (conversation.isUndone ? COMPACT_AT_UNDONE : COMPACT_AT));
}

/** The system prompt and the tools, in tokens. */
export function tokensBeside(state: AgentState, system: string): number {
  const { takesTools } = state.quirks.of(presentModel(state));
  const tools = takesTools ? JSON.stringify(state.toolbox.schemas()).length : 0;
  return tokensOf(Buffer.byteLength(system) + tools);
}

// Tells what a reply cost and how full the model's window is; where the server does not count, estimated and said so.
/** Gives what the conversation takes of the window, the reply included. */
export function reportUsage(
  state: AgentState,
  turn: RunningTurn,
  { reply, window, system }: { reply: Reply; window: number | null; system: string },
): number {
  const usage = reply.usage ?? {
    inputTokens: tokensOf(bytesOf(state.conversation.messages(system))),
    outputTokens: tokensOf(reply.charsOut),
    estimated: true,
  };
  turn.addUsage(usage);
  if (reply.usage === null && !state.hasWarnedOfEstimates) {
    state.hasWarnedOfEstimates = true;
    const message = `The server at ${state.endpoint.shown} does not count tokens; the usage of ${state.spec.name} is estimated.`;
    turn.show({ type: "warning", code: "usage_estimated", message });
  }
  const used = usage.inputTokens + usage.outputTokens;
  if (window !== null) {
    const measured = reply.usage !== null;
    const at = state.depth === 0 ? { compactAt: compactAt(state, window) } : {};
    turn.show({ type: "context_update", used, window, ...at, measured });
  }
  return used;
}

/** Replaces the conversation with the one of the log. */
export function restoreHistory(state: AgentState, history: ConversationHistory): void {
  state.conversation.restore(history);
  state.reading = history.used?.measured === true ? readingOf(state, history.used.tokens) : null;
}
