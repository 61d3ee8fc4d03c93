/** Brings what an agent says to the turn it belongs to, or says that it came too late. */
import type { AgentEvent } from "../../agents/index.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { noteCompacted, noteCompactFailed } from "../context/compactions.ts";
import { fitEvent, fitEvents } from "../fit-event.ts";
import { priced } from "./price.ts";
import { memberOf, type SessionState } from "../state.ts";

/** Facts about the member rather than about a turn: they are kept between turns too. */
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
/** Transient, so nothing is lost when one comes outside a turn. */
const TRANSIENT: ReadonlySet<AgentEvent["type"]> = new Set(["status", "retrying", "usage"]);

export interface AgentEvents {
  handle(member: string, event: AgentEvent, turnId: string | undefined): void;
  reportLate(member: string, turnId: string | undefined): void;
  reportError(member: string, what: string, thrown: unknown): void;
}

export function createAgentEvents(state: SessionState): AgentEvents {
  /** Per member, the last turn whose late words were warned of. */
  const warned = new Map<string, string>();
  /** Per member, the last turn it was handed. */
  const lastTurns = new Map<string, string>();

  function reportLate(member: string, turnId: string | undefined): void {
    const which = turnId ?? lastTurns.get(member) ?? "";
    if (state.isClosed || warned.get(member) === which) return;
    warned.set(member, which);
    const message = `${member} went on after its turn had ended. What it said then was not kept.`;
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
        // Before its agent is handed the turn, a status such as "model loading" already belongs to it.
        if (running !== undefined && !running.isSent && turnId === undefined) running.turn.record(event);
      } else if (turnId === undefined) {
        answerNobody(state, member, event);
        reportLate(member, turnId);
      }
      // Words of a turn that was just stopped are on their way until the agent lets go; the stop explains them.
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

/** It comes with the turn that starts a program, but is no part of the answer. */
function isOfSession(event: AgentEvent): boolean {
  return event.type === "warning" && event.code === "no_sandbox";
}

/** Every start of a program reports its models and its guard; only a change is news. */
function isKnownFact(state: SessionState, member: string, event: AgentEvent): boolean {
  const known = memberOf(state, member);
  if (event.type === "member_models") return JSON.stringify(event.models) === JSON.stringify(known?.models);
  if (event.type !== "member_guard") return false;
  return event.guard === known?.guard?.kind && event.detail === known.guard.detail;
}

/** An agent that asks when nobody listens must not wait for ever. */
function answerNobody(state: SessionState, member: string, event: AgentEvent): void {
  if (event.type !== "request" && event.type !== "host_call") return;
  state.runtimeOf(member).answer(event.callId, { result: null, error: "The turn has ended." });
}
