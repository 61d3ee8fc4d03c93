/** A compaction that somebody asked for while nothing runs. Says what came of it, and never rejects. */
import type { AgentEvent } from "../../port.ts";
import type { ConversationHistory } from "../../history.ts";
import { compactConversation, whyNothingToFold, whyOf, type CompactOrder } from "./compact.ts";
import { chooseModel, presentModel } from "../known-models.ts";
import type { AgentState } from "../agent-state.ts";
import type { RunningTurn } from "../running-turn.ts";
import { systemPromptFor } from "./system-prompt.ts";
import { restoreHistory } from "../turn-loop.ts";

export interface CompactRequest {
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
    if (nothing !== null) return { type: "compact_failed", message: nothing };
    return await compactConversation(state, aside, order);
  } catch (thrown) {
    return { type: "compact_failed", message: whyOf(thrown) };
  } finally {
    cancel();
    turn.release(aside);
  }
}
