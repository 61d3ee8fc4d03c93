/**
 * Context usage: the model's own count plus an estimate of four bytes per token for what came after it; only the
 * estimate, marked as one, where the server does not count.
 */
import { presentModel, windowOf } from "../known-models.ts";
import type { ConversationHistory } from "../../history.ts";
import type { AgentState, Reading } from "../agent-state.ts";
import { tokensOf } from "../requests/usage.ts";
import { bytesOf } from "../requests/message.ts";
import type { Reply } from "../requests/dialect.ts";
import type { RunningTurn } from "../running-turn.ts";

/** Share of the window at which the conversation is compacted. */
const COMPACT_AT = 0.8;
/** After the user undid a compaction: as late as possible, or undoing would be pointless. */
const COMPACT_AT_UNDONE = 0.95;

/** A count this far below the estimate is incomplete, e.g. without cached tokens. */
const PLAUSIBLE_SHARE = 0.25;

export interface Fill {
  readonly tokens: number;
  readonly measured: boolean;
}

/** `always`: tokens sent beside the conversation. */
export function fillOf({ conversation, reading }: AgentState, always: number): Fill {
  if (reading === undefined) return { tokens: conversation.tokens + always, measured: false };
  const since = conversation.tokens - reading.estimate;
  return { tokens: Math.max(0, reading.tokens + since), measured: reading.measured };
}

/** Undefined when the count is implausible. Call after its reply was added to the conversation. */
export function readingOf({ conversation }: AgentState, tokens: number): Reading | undefined {
  const estimate = conversation.tokens;
  return tokens < estimate * PLAUSIBLE_SHARE ? undefined : { tokens, estimate, measured: true };
}

/** Undefined when unknown. */
export function presentWindow(state: AgentState): number | undefined {
  return windowOf(state, presentModel(state));
}

export function compactAt({ conversation }: AgentState, window: number): number {
  return Math.floor(window * (conversation.isUndone ? COMPACT_AT_UNDONE : COMPACT_AT));
}

/** System prompt and tools, in tokens. */
export function tokensBeside(state: AgentState, system: string): number {
  const { takesTools } = state.quirks.of(presentModel(state));
  const tools = takesTools ? JSON.stringify(state.toolbox.schemas()).length : 0;
  return tokensOf(Buffer.byteLength(system) + tools);
}

/**
 * Reports usage and context size; estimates, with a warning, where the server does not count. Returns the tokens in the
 * window, the reply included.
 */
export function reportUsage(
  state: AgentState,
  turn: RunningTurn,
  { reply, window, system }: { reply: Reply; window: number | undefined; system: string },
): number {
  const usage = reply.usage ?? {
    inputTokens: tokensOf(bytesOf(state.conversation.messages(system))),
    outputTokens: tokensOf(reply.charsOut),
    estimated: true,
  };
  turn.addUsage(usage);
  if (reply.usage === undefined && !state.hasWarnedOfEstimates) {
    state.hasWarnedOfEstimates = true;
    const message = `The server at ${state.endpoint.shown} does not report token usage; the usage of ${state.spec.name} is estimated.`;
    turn.show({ type: "warning", code: "usage_estimated", message });
  }
  const used = usage.inputTokens + usage.outputTokens;
  if (window !== undefined) {
    const measured = reply.usage !== undefined;
    const at = state.depth === 0 ? { compactAt: compactAt(state, window) } : {};
    turn.show({ type: "context_update", used, window, ...at, measured });
  }
  return used;
}

/** Replaces the conversation with the one of the log. */
export function restoreHistory(state: AgentState, history: ConversationHistory): void {
  state.conversation.restore(history);
  state.reading = history.used?.measured === true ? readingOf(state, history.used.tokens) : undefined;
}
