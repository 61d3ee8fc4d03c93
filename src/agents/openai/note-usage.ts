/** Tells what a reply cost and how full the model's window is; where the server does not count, estimated and said so. */
import { charsOf } from "./conversation.ts";
import type { MemberMind } from "./member-mind.ts";
import type { Reply } from "./parse.ts";
import type { RunningTurn } from "./running-turn.ts";
import { tokensOf } from "./usage.ts";

export function noteUsage(
  mind: MemberMind,
  turn: RunningTurn,
  { reply, window, system }: { reply: Reply; window: number | null; system: string },
): void {
  const usage = reply.usage ?? {
    inputTokens: tokensOf(charsOf(mind.conversation.messages(system))),
    outputTokens: tokensOf(reply.charsOut),
    estimated: true,
  };
  turn.addUsage(usage);
  if (reply.usage === null && !mind.hasToldOfEstimates) {
    mind.hasToldOfEstimates = true;
    const message = `${mind.endpoint.shown} does not count tokens; the usage of ${mind.spec.name} is estimated.`;
    turn.show({ type: "warning", code: "usage_estimated", message });
  }
  if (window === null) return;
  const used = usage.inputTokens + usage.outputTokens;
  turn.show({ type: "context_update", used, window, measured: reply.usage !== null });
}
