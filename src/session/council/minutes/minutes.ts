/** Stores minutes as an event: as written by a member, or assembled from the log when it could not. */

import { turnById, turnText, isNothingToAdd, type TurnMessage } from "../../../transcript/index.ts";
import { beginningOf, fitsEncoded } from "../../../kit/text/encoded-size.ts";
import { MINUTES_BYTES_MAX } from "../../limits.ts";
import type { MinutesSubject } from "./subject.ts";
import type { SessionState } from "../../state.ts";
import type { Turn, TurnEndFacts } from "../../turn/turn.ts";

/** Call after the turn is settled. Minutes interrupted by the user are discarded. */
export function storeMinutes(state: SessionState, turn: Turn, { outcome }: TurnEndFacts): void {
  const { turnId, member } = turn.identity;
  const subject = state.minutes.get(turnId);
  if (subject === undefined || !state.minutes.delete(turnId) || outcome === "interrupted") return;
  const written = turnById(state.ledger.transcript, turnId);
  const text = written === undefined || outcome !== "completed" ? "" : turnText(written).trim();
  if (text === "") storePlain(state, subject, `${member} was asked to write them and failed.`);
  else store(state, subject, text, member);
}

export function storePlain(state: SessionState, subject: MinutesSubject, why: string): void {
  store(state, subject, plainMinutes(subject, { why }), undefined);
}

function store(state: SessionState, { question }: MinutesSubject, text: string, by: string | undefined): void {
  const fitted = fitsEncoded(text, MINUTES_BYTES_MAX)
    ? text
    : `${beginningOf(text, MINUTES_BYTES_MAX)}\n\n[… truncated]`;
  state.ledger.append([
    { type: "minutes", text: fitted, ...(by === undefined ? {} : { by }), rootMessageId: question.messageId },
  ]);
}

/**
 * Minutes without a model: quotes from the log, in order, without judgement, marked as such. Texts are quoted line by
 * line, so that no line can pass for a heading.
 */
const QUESTION_CHARS_MAX = 2_000;
const POSITION_CHARS_MAX = 1_500;

interface PlainMinutesOptions {
  /** Why no member wrote them, as a sentence. */
  readonly why: string;
}

function plainMinutes(subject: MinutesSubject, { why }: PlainMinutesOptions): string {
  const { question, messages, speaking } = subject;
  const members = [...new Set(messages.flatMap((one) => (one.kind === "turn" ? [one.member] : [])))];
  return [
    "# Minutes",
    `*${why} Positions are the members' own words, shortened; nothing is judged.${untilWhere(subject)}*`,
    "## Question",
    quoted(question.text, QUESTION_CHARS_MAX),
    "## Positions",
    ...(members.length === 0 ? ["Nobody has answered yet."] : members.flatMap((name) => positionOf(subject, name))),
    "## Agreement",
    agreementOf(subject),
    "## Dissent",
    "Not assessed: no model has read the positions.",
    "## Decision",
    "None recorded. The decision is yours.",
    "## Open points",
    ...openPoints(subject, speaking),
    "## Cost",
    costTable(subject.turns),
  ].join("\n\n");
}

export function untilWhere({ speaking, round }: Pick<MinutesSubject, "speaking" | "round">): string {
  if (speaking.length === 0) return "";
  const when = round === undefined ? "the discussion" : `round ${round}`;
  return ` Taken during ${when}, while ${listed(speaking)} ${speaking.length === 1 ? "was" : "were"} still speaking.`;
}

function positionOf({ messages }: MinutesSubject, name: string): string[] {
  const own = messages.filter((one): one is TurnMessage => one.kind === "turn" && one.member === name);
  const contributions = own.filter((turn) => !isNothingToAdd(turnText(turn)));
  const last =
    contributions.findLast((turn) => turn.end?.outcome === "completed") ?? contributions.at(-1) ?? own.at(-1);
  if (last === undefined) return [];
  const cut = last.end?.outcome === "completed" ? "" : " (cut off)";
  const where = last.round === undefined ? "" : `, round ${last.round}`;
  return [`### ${name}${where}${cut}`, quoted(turnText(last), POSITION_CHARS_MAX)];
}

function agreementOf({ council }: MinutesSubject): string {
  const isAgreed = council.state === "settled" && "why" in council && council.why === "agreed";
  return isAgreed ? "In the last round nobody had anything to add." : "Not assessed: no model has read the positions.";
}

function openPoints({ turns, council }: MinutesSubject, speaking: readonly string[]): string[] {
  const failed = turns.filter((turn) => turn.depth === 0 && turn.end !== undefined && turn.end.outcome !== "completed");
  const points = [
    ...failed.map(({ member, end, round }) => {
      const where = round === undefined ? "" : ` in round ${round}`;
      return `- ${member} did not finish${where}: ${(end?.outcome ?? "").replace("_", " ")}.`;
    }),
    ...speaking.map((name) => `- ${name} was still speaking.`),
    ...(council.state === "paused" ? ["- The discussion is paused."] : []),
  ];
  return [points.length === 0 ? "None recorded." : points.join("\n")];
}

function costTable(turns: readonly TurnMessage[]): string {
  const rows = new Map<string, { turns: number; input: number; output: number; usd: number | undefined }>();
  for (const { member, usage } of turns) {
    const row = rows.get(member) ?? { turns: 0, input: 0, output: 0, usd: undefined };
    const usd = usage?.costUsd === undefined ? row.usd : (row.usd ?? 0) + usage.costUsd;
    const input = row.input + (usage?.inputTokens ?? 0);
    rows.set(member, { turns: row.turns + 1, input, output: row.output + (usage?.outputTokens ?? 0), usd });
  }
  if (rows.size === 0) return "No usage recorded.";
  const lines = [...rows].map(
    ([name, { turns: count, input, output, usd }]) =>
      `| ${name} | ${count} | ${input} | ${output} | ${usd === undefined ? "unknown" : usd.toFixed(4)} |`,
  );
  return ["| member | turns | tokens in | tokens out | USD |", "|---|---|---|---|---|", ...lines].join("\n");
}

function quoted(text: string, charsMax: number): string {
  const shown = text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()} […]`;
  return shown
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join("\n");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
