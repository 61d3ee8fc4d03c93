/** Routes agent events to the turn they belong to; reports late ones. */
import type { AgentEvent } from "../../agents/index.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { noteCompacted, noteCompactFailed } from "../context/compactions.ts";
import { fitEvent, fitEvents } from "../fit-event.ts";
import { priced } from "./price.ts";
import { memberOf, type SessionState } from "../state.ts";
import type { AgentEvents } from "./member-runtime.ts";

/** Facts about the member rather than a turn: recorded between turns too. */
const OF_THE_MEMBER: ReadonlySet<AgentEvent["type"]> = new Set([
  "member_session",
  "member_models",
  "member_guard",
  "context_update",
  "model_fallback",
  "warning",
  "ui_notify",
  "ui_status",
  "ui_widget",
  "ui_working",
  "ui_set_title",
  "ui_set_editor_text",
]);
/** Transient: dropped outside a turn without loss. */
const TRANSIENT: ReadonlySet<AgentEvent["type"]> = new Set(["status", "retrying", "usage"]);

export function createAgentEvents(state: SessionState): AgentEvents {
  /** By member: the last turn with a late-output warning. */
  const warned = new Map<string, string>();
  /** By member: the last turn it was given. */
  const lastTurns = new Map<string, string>();

  function reportLate(member: string, turnId: string | undefined): void {
    const which = turnId ?? lastTurns.get(member) ?? "";
    if (state.isClosed || warned.get(member) === which) return;
    warned.set(member, which);
    const message = `${member} continued after its turn had ended. That output was dropped.`;
    state.ledger.append([{ type: "warning", member, code: "late_words", message, detail: `turn ${which}` }]);
  }

  return {
    handle(member, reported, turnId) {
      const event = priced(reported, memberOf(state, member)?.spec);
      if (state.isClosed || isKnownFact(state, member, event)) return;
      const running = state.turns.get(member);
      const belongs = running !== undefined && running.turn.identity.turnId === turnId;
      if (turnId !== undefined) lastTurns.set(member, turnId);
      if (belongs && !isOfSession(event)) running.turn.record(event);
      else if (event.type === "compacted") noteCompacted(state, member, event);
      else if (event.type === "compact_failed") noteCompactFailed(state, member, event.message);
      else if (OF_THE_MEMBER.has(event.type)) state.ledger.append(fitEvents({ ...event, member } as EventDraft));
      else if (TRANSIENT.has(event.type)) {
        // A status before the turn is sent, such as "model loading", already belongs to it.
        if (running !== undefined && !running.isSent && turnId === undefined) running.turn.record(event);
      } else if (turnId === undefined) {
        answerNobody(state, member, event);
        reportLate(member, turnId);
      }
      // Output of a stopped turn keeps arriving until the agent reacts; it needs no warning.
      else answerNobody(state, member, event);
    },
    reportLate,
    reportError(member, what, thrown) {
      if (state.isClosed) return;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const message = `The agent of ${member} could not ${what}: ${why}`;
      state.ledger.append([fitEvent({ type: "warning", member, code: "agent_fault", message })]);
    },
  };
}

/** Arrives with the turn that starts a program, but is not part of the answer. */
function isOfSession(event: AgentEvent): boolean {
  return event.type === "warning" && event.code === "no_sandbox";
}

/** Every program start reports its models and guard; record changes only. */
function isKnownFact(state: SessionState, member: string, event: AgentEvent): boolean {
  const known = memberOf(state, member);
  if (event.type === "member_models") return JSON.stringify(event.models) === JSON.stringify(known?.models);
  if (event.type !== "member_guard") return false;
  return event.guard === known?.guard?.kind && event.detail === known.guard.detail;
}

/** An agent that asks outside a turn must not wait forever. */
function answerNobody(state: SessionState, member: string, event: AgentEvent): void {
  if (event.type !== "request" && event.type !== "host_call") return;
  state.runtimeOf(member).answer(event.callId, { result: null, error: "The turn has ended." });
}
