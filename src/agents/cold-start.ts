/** What a turn says, and what its member is told, when the program has forgotten the session that it was to go on with. */
import type { AgentEvent, TurnInput } from "./port.ts";

/** The turn for an agent that knows nothing any more: with all that was said at the table, as far as it fits. */
export function withColdStart(input: TurnInput): TurnInput {
  if (input.coldStart === undefined) return input;
  const { systemPrompt: _systemPrompt, missed: _missed, missedCut: _cut, leftOut: _left, coldStart, ...rest } = input;
  return { ...rest, ...coldStart() };
}

export function sessionLost(member: string, reason: string): Extract<AgentEvent, { type: "warning" }> {
  const message = `${member} could not go on with its earlier session (${reason}) and began a new one. It is told again what was said at the table; what it had read and tried before is gone.`;
  return { type: "warning", code: "session_lost", message };
}
