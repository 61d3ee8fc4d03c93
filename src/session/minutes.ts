/** Stores minutes as an event: as their writer wrote them, or plainly assembled when it could not. */
import { turnById, turnText } from "../transcript/index.ts";
import { beginningOf, fitsEncoded } from "../kit/encoded-size.ts";
import { MINUTES_BYTES_MAX } from "./limits.ts";
import { plainMinutes } from "./minutes-plain.ts";
import type { MinutesSubject } from "./minutes-subject.ts";
import type { Table } from "./table.ts";
import type { Turn, TurnEndFacts } from "./turn.ts";

/** To be called after a turn is settled. Minutes whose writing the user stopped are not wanted. */
export function keepMinutes(table: Table, turn: Turn, { outcome }: TurnEndFacts): void {
  const { turnId, member } = turn.identity;
  const subject = table.minutes.get(turnId);
  if (subject === undefined || !table.minutes.delete(turnId) || outcome === "interrupted") return;
  const written = turnById(table.ledger.transcript, turnId);
  const text = written === undefined || outcome !== "completed" ? "" : turnText(written).trim();
  if (text === "") storePlain(table, subject, `${member} was asked to write them and could not.`);
  else store(table, subject, text, member);
}

export function storePlain(table: Table, subject: MinutesSubject, why: string): void {
  store(table, subject, plainMinutes(subject, { why }), undefined);
}

function store(table: Table, { question }: MinutesSubject, text: string, by: string | undefined): void {
  const fitted = fitsEncoded(text, MINUTES_BYTES_MAX)
    ? text
    : `${beginningOf(text, MINUTES_BYTES_MAX)}\n\n[… longer than minutes may be]`;
  table.ledger.append([
    { type: "minutes", text: fitted, ...(by === undefined ? {} : { by }), rootMessageId: question.messageId },
  ]);
}
