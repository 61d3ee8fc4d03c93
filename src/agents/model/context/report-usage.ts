/** Tells what a reply cost and how full the model's window is; where the server does not count, estimated and said so. */
import type { AgentState } from "../agent-state.ts";
import { bytesOf } from "../requests/message.ts";
import { compactAt } from "./meter.ts";
import type { Reply } from "../requests/reply-builder.ts";
import type { RunningTurn } from "../running-turn.ts";
import { tokensOf } from "../requests/usage.ts";

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
