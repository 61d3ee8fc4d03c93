/** Tells what a reply cost and how full the model's window is; where the server does not count, estimated and said so. */
import type { MemberMind } from "./member-mind.ts";
import { bytesOf } from "./message.ts";
import { compactAt } from "./meter.ts";
import type { Reply } from "./parse.ts";
import type { RunningTurn } from "./running-turn.ts";
import { tokensOf } from "./usage.ts";

/** Gives what the conversation takes of the window, the reply included. */
export function reportUsage(
  mind: MemberMind,
  turn: RunningTurn,
  { reply, window, system }: { reply: Reply; window: number | null; system: string },
): number {
  const usage = reply.usage ?? {
    inputTokens: tokensOf(bytesOf(mind.conversation.messages(system))),
    outputTokens: tokensOf(reply.charsOut),
    estimated: true,
  };
  turn.addUsage(usage);
  if (reply.usage === null && !mind.hasToldOfEstimates) {
    mind.hasToldOfEstimates = true;
    const message = `The server at ${mind.endpoint.shown} does not count tokens; the usage of ${mind.spec.name} is estimated.`;
    turn.show({ type: "warning", code: "usage_estimated", message });
  }
  const used = usage.inputTokens + usage.outputTokens;
  if (window !== null) {
    const measured = reply.usage !== null;
    const at = mind.depth === 0 ? { compactAt: compactAt(mind, window) } : {};
    turn.show({ type: "context_update", used, window, ...at, measured });
  }
  return used;
}
