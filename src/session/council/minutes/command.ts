/**
 * `minutes`: lets a member write the record of the discussion, or assembles it when no model is at the table.
 * Allowed at any time; minutes taken while somebody speaks say so.
 */
import { RoundtableError, type CommandOf, type Json } from "../../../protocol/index.ts";
import { unknownMember } from "../../delivery/addressing.ts";
import { startTurn } from "../../turn/run-turn.ts";
import { missedForMinutes, minutesInstruction } from "./prompt.ts";
import { storePlain } from "./minutes.ts";
import { subjectOf } from "./subject.ts";
import { isAvailable, memberOf, joinedMembers, type SessionState } from "../../state.ts";

export function requestMinutes(state: SessionState, { by }: CommandOf<"minutes">, clientId: string): Json {
  if (state.minutes.size > 0) {
    throw new RoundtableError("busy", "Minutes are being written already.", {
      hint: "They appear when they are done.",
    });
  }
  const subject = subjectOf(state.ledger.transcript);
  if (subject === undefined) {
    throw new RoundtableError("conflict", "Nothing was asked yet, so there is nothing to write minutes of.");
  }
  const writer = by === undefined ? freeWriter(state) : namedWriter(state, by);
  if (writer === undefined) {
    storePlain(state, subject, whyPlain(state));
    return { by: null };
  }
  const { missed, cut } = missedForMinutes(subject);
  const isHeld = state.held.has(writer);
  const turnId = startTurn(state, {
    member: writer,
    messages: [],
    rootMessageId: subject.question.messageId,
    clientId,
    cause: "minutes",
    text: minutesInstruction(subject),
    from: { kind: "table" },
    missed,
    missedCut: cut,
  });
  state.minutes.set(turnId, subject);
  // Minutes let nothing go that waits for a message of the user.
  if (isHeld) state.held.add(writer);
  return { by: writer, turnId };
}

/** The first in order that has a model and does not speak. */
function freeWriter(state: SessionState): string | undefined {
  return joinedMembers(state).find(
    ({ name, spec }) => spec.kind !== "embedded" && isAvailable(state, name) && !state.turns.has(name),
  )?.name;
}

/** An embedded member has no model to write with; then they are assembled. */
function namedWriter(state: SessionState, name: string): string | undefined {
  const member = memberOf(state, name);
  if (member?.seated !== true) {
    throw unknownMember(
      name,
      joinedMembers(state).map((one) => one.name),
    );
  }
  if (member.muted) throw new RoundtableError("nobody_to_ask", `${name} is muted.`, { hint: "Unmute it first." });
  if (state.turns.has(name)) {
    throw new RoundtableError("busy", `${name} is speaking and cannot write minutes now.`, {
      hint: "Name another member, or wait until its turn ends.",
    });
  }
  return member.spec.kind === "embedded" ? undefined : name;
}

function whyPlain(state: SessionState): string {
  const hasModel = joinedMembers(state).some(({ spec }) => spec.kind !== "embedded");
  return hasModel
    ? "Assembled from the log, because no member with a model was free to write them."
    : "Assembled from the log, because no member here has a model to write them.";
}
