/** Where a text or a thought of the running turn begins and ends. */
import type { DialectEvent } from "../process/dialect.ts";
import { withTurn, type AcpState, type AcpStep } from "./state.ts";

/** Ends what was open when it is of another kind: agents do not say when a text or a thought is done. */
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
  const open = state.turn?.segment ?? null;
  if (open === null) return { state };
  const event: DialectEvent = { type: open === "text" ? "text_done" : "thinking_done" };
  return { state: withTurn(state, { segment: null, textHead: "" }), events: [event] };
}

/** Takes back the text that is still open. */
export function retract(state: AcpState, reason = "the answer broke off and was begun anew"): AcpStep {
  if (state.turn?.segment !== "text") return closeSegment(state);
  return { state: withTurn(state, { segment: null, textHead: "" }), events: [{ type: "text_retracted", reason }] };
}
