/** Stores minutes as an event: as their writer wrote them, or plainly assembled when it could not. */
import { turnById, turnText } from "../../../transcript/index.ts";
import { beginningOf, fitsEncoded } from "../../../kit/text/encoded-size.ts";
import { MINUTES_BYTES_MAX } from "../../limits.ts";
import { plainMinutes } from "./plain.ts";
import type { MinutesSubject } from "./subject.ts";
import type { SessionState } from "../../state.ts";
import type { Turn, TurnEndFacts } from "../../turn/turn.ts";

/** To be called after a turn is settled. Minutes whose writing the user stopped are not wanted. */
export function storeMinutes(state: SessionState, turn: Turn, { outcome }: TurnEndFacts): void {
  const { turnId, member } = turn.identity;
  const subject = state.minutes.get(turnId);
  if (subject === undefined || !state.minutes.delete(turnId) || outcome === "interrupted") return;
  const written = turnById(state.ledger.transcript, turnId);
  const text = written === undefined || outcome !== "completed" ? "" : turnText(written).trim();
  if (text === "") storePlain(state, subject, `${member} was asked to write them and could not.`);
  else store(state, subject, text, member);
}

export function storePlain(state: SessionState, subject: MinutesSubject, why: string): void {
  store(state, subject, plainMinutes(subject, { why }), undefined);
}

function store(state: SessionState, { question }: MinutesSubject, text: string, by: string | undefined): void {
  const fitted = fitsEncoded(text, MINUTES_BYTES_MAX)
    ? text
    : `${beginningOf(text, MINUTES_BYTES_MAX)}\n\n[… longer than minutes may be]`;
  state.ledger.append([
    { type: "minutes", text: fitted, ...(by === undefined ? {} : { by }), rootMessageId: question.messageId },
  ]);
}
