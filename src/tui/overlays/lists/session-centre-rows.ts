/** What the command centre draws: sections of sessions on the left, the chosen session on the right. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { SessionSummary } from "../../../protocol/index.ts";
import {
  describeRequest,
  loadedMessagesBackward,
  type Transcript,
  type TurnMessage,
} from "../../../transcript/index.ts";
import { countdown, shortMoney } from "../../app/chrome/format.ts";
import { cutToWidth } from "../../input/cut-to-width.ts";
import { copyText } from "../../log/copy-text.ts";
import type { Theme } from "../../theme/theme.ts";
import { fitRow, upperRule } from "../draw-frame.ts";
import { proseRows } from "../reading-rows.ts";
import { listAge } from "../short-age.ts";
import { locationOf } from "./session-rows.ts";

export const SECTIONS = ["Needs you", "Working", "Ready", "Archived"] as const;
export type Section = (typeof SECTIONS)[number];

const ANSWER_ROWS_MAX = 12;

export function sectionOf({ archived, waiting, status }: SessionSummary): Section {
  if (archived) return "Archived";
  if (waiting !== undefined) return "Needs you";
  return status === "running" ? "Working" : "Ready";
}

export interface CentreDrawing {
  readonly theme: Theme;
  readonly width: number;
  readonly now: number;
  readonly shortPath: (cwd: string) => string;
  /** As far as it is loaded. */
  readonly previewOf: (session: SessionSummary) => Transcript | undefined;
}

/** A section's head, or the rows of one session. */
export interface CentreRow {
  readonly text: string;
  readonly sessionId?: string;
}

/** Sessions come in the order of their sections. The first section needs no head: the row above names it. */
export function sessionRows(
  sessions: readonly SessionSummary[],
  chosenId: string | undefined,
  drawing: CentreDrawing,
): CentreRow[] {
  const { theme, width } = drawing;
  const rows: CentreRow[] = [];
  let before: Section | undefined;
  for (const session of sessions) {
    const section = sectionOf(session);
    if (before !== undefined && section !== before) {
      const count = sessions.filter((one) => sectionOf(one) === section).length;
      if (rows.at(-1)?.text !== "") rows.push({ text: "" });
      rows.push({ text: upperRule({ theme, width, title: section, corner: String(count), tone: "faint" }) });
    }
    before = section;
    const isChosen = session.sessionId === chosenId;
    rows.push(
      ...oneSession(session, section, isChosen, drawing).map((text) => ({ text, sessionId: session.sessionId })),
    );
    if (section === "Needs you" || section === "Working") rows.push({ text: "" });
  }
  return rows;
}

function oneSession(session: SessionSummary, section: Section, isChosen: boolean, drawing: CentreDrawing): string[] {
  const { theme, width, now, shortPath, previewOf } = drawing;
  const head = previewOf(session)?.head;
  const request = head?.requests[0];
  const left = request === undefined ? 0 : request.ts + request.timeoutMs - now;
  const time = left > 0 ? `${countdown(left)} left` : listAge(now - session.updatedTs);
  const { at } = session;
  const age = at === undefined ? time : `${terminalSafeLine(`${at.person} · ${at.runner}`)} · ${time}`;
  const room = Math.max(1, width - 5 - visibleWidth(age));
  const title = cutToWidth(terminalSafeLine(session.title) || "(no title)", room);
  const gap = " ".repeat(Math.max(1, width - 4 - visibleWidth(title) - visibleWidth(age)));
  const mark = isChosen ? theme.decorate("bold", theme.glyph("you")) : " ";
  const first = ` ${mark} ${isChosen || section === "Needs you" ? theme.decorate("bold", title) : title}${gap}${theme.paint("quiet", age)} `;
  const more = section === "Needs you" || section === "Working" ? facts() : [];
  const problem = session.problem === undefined ? [] : [theme.paint("bad", terminalSafeLine(session.problem))];
  const below = [...more, ...problem].map((row) => fitRow(`   ${row}`, width));
  return [fitRow(first, width), ...below].map((row) => (isChosen ? theme.paint("selected", row) : row));

  function facts(): string[] {
    const waiting = session.waiting ?? 0;
    const asks =
      request === undefined ? "waits for your answer" : `${request.member}: ${describeRequest(request).what}`;
    const working = Object.values(head?.openTurns ?? {}).map(({ member }) => member);
    const state =
      section === "Needs you"
        ? `${theme.paint("ask", theme.glyph("needsYou"))} ${cutToWidth(terminalSafeLine(asks), width - 6)}`
        : `${theme.glyph("member")} ${[...new Set(working)].join(", ") || session.members.join(", ")} working`;
    const cost = head?.totals.costUsd ?? 0;
    const details = [
      terminalSafeLine(locationOf(session, shortPath)),
      ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? "request" : "requests"}`] : []),
      ...(cost > 0 ? [shortMoney(cost)] : []),
    ];
    return [state, theme.paint("quiet", details.join(" · "))];
  }
}

/** The last answer of the chosen session. */
export function previewRows(session: SessionSummary, drawing: CentreDrawing): string[] {
  const { theme, width, now, previewOf } = drawing;
  const inner = Math.max(1, width - 2);
  const title = theme.decorate("bold", cutToWidth(terminalSafeLine(session.title) || "(no title)", inner));
  const transcript = previewOf(session);
  if (transcript === undefined) return [` ${title}`, ` ${theme.paint("quiet", "Loading …")}`];
  const answer = lastAnswer(transcript);
  if (answer === undefined) return [` ${title}`, ` ${theme.paint("quiet", "No answer yet")}`];
  const facts = theme.paint(
    "quiet",
    `last answer, ${answer.member} · ${listAge(now - (answer.end?.ts ?? answer.ts))} ago`.replace(
      /(now|yesterday) ago$/,
      "$1",
    ),
  );
  const text = proseRows(copyText(answer), inner, (row) => row);
  const shown = text.slice(0, ANSWER_ROWS_MAX);
  const rest = text.length > shown.length ? [theme.paint("quiet", "…")] : [];
  return [title, facts, "", ...shown, ...rest].map((row) => ` ${row}`);
}

function lastAnswer(transcript: Transcript): TurnMessage | undefined {
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.depth === 0 && copyText(message) !== "") return message;
  }
  return undefined;
}
