/** A compaction that somebody asked for while nothing runs. Says what came of it, and never rejects. */
import type { AgentEvent } from "../port.ts";
import type { Past } from "../past.ts";
import { compactConversation, whyNothingToFold, whyOf, type CompactOrder } from "./compact.ts";
import { chooseModel, presentModel } from "./known-models.ts";
import type { MemberMind } from "./member-mind.ts";
import type { RunningTurn } from "./running-turn.ts";
import { systemPromptFor } from "./system-prompt.ts";
import { takePast } from "./turn-loop.ts";

export interface Asked {
  readonly focus: string | undefined;
  readonly past: Past | undefined;
}

export async function compactBetweenTurns(
  mind: MemberMind,
  turn: RunningTurn,
  { focus, past }: Asked,
): Promise<AgentEvent> {
  const aside = turn.beginAside();
  const cancel = mind.clock.after(mind.limits.summaryMs, () => aside.stop("it took too long"));
  try {
    if (past !== undefined) takePast(mind, past);
    if (mind.choice.isEmpty) await chooseModel(mind, aside);
    const order: CompactOrder = { focus, isInTurn: false, system: systemPromptFor(mind, presentModel(mind)) };
    const nothing = whyNothingToFold(mind, order);
    if (nothing !== null) return { type: "compact_failed", message: nothing };
    return await compactConversation(mind, aside, order);
  } catch (thrown) {
    return { type: "compact_failed", message: whyOf(thrown) };
  } finally {
    cancel();
    turn.release(aside);
  }
}
