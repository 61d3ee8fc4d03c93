/** Start and end of texts and thoughts in the running turn. */
import type { DialectEvent } from "../../../process/dialect.ts";
import { withTurn, type AcpState, type AcpStep } from "../state.ts";

/** Ends an open segment of another kind: agents do not report the end of a text or a thought. */
export function turnTo(
  state: AcpState,
  segment: "text" | "thinking",
  { isNewSegment }: { isNewSegment: boolean },
): AcpStep {
  if (state.turn?.segment === segment && !isNewSegment) return { state };
  const closed = closeSegment(state);
  return { ...closed, state: withTurn(closed.state, { segment, textHead: "" }) };
}

export function closeSegment(state: AcpState): AcpStep {
  const open = state.turn?.segment;
  if (open === undefined) return { state };
  const isText = open === "text";
  const textsSinceCall = (state.turn?.textsSinceCall ?? 0) + (isText ? 1 : 0);
  const event: DialectEvent = { type: isText ? "text_done" : "thinking_done" };
  return { state: withTurn(state, { segment: undefined, textHead: "", textsSinceCall }), events: [event] };
}

/** Retracts all text since the last call, of an agent that requests the whole answer again. */
export function retractAnswer(state: AcpState): AcpStep {
  const step = retract(state);
  const count = step.state.turn?.textsSinceCall ?? 0;
  const more = Array.from({ length: count }, (): DialectEvent => ({ type: "text_retracted", reason: RESTARTED }));
  return { state: withTurn(step.state, { textsSinceCall: 0 }), events: [...(step.events ?? []), ...more] };
}

const RESTARTED = "the answer broke off and was restarted";

/** Retracts the open text. */
export function retract(state: AcpState, reason = RESTARTED): AcpStep {
  if (state.turn?.segment !== "text") return closeSegment(state);
  return { state: withTurn(state, { segment: undefined, textHead: "" }), events: [{ type: "text_retracted", reason }] };
}
