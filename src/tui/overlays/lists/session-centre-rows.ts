/** What the command centre draws: sections of sessions on the left, the chosen session on the right. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { plural } from "../../../kit/text/format.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { SessionSummary } from "../../../protocol/index.ts";
import {
  describeRequest,
  formatMoney,
  formatRunningTime,
  type Head,
  loadedMessagesBackward,
  openCostUsd,
  type OpenRequest,
  type Transcript,
  type TurnMessage,
} from "../../../transcript/index.ts";
import { countdown } from "../../app/chrome/format.ts";
import { cutToWidth } from "../../input/cut-to-width.ts";
import { copyText } from "../../log/copy-text.ts";
import { createIncrementalMarkdown } from "../../markdown/incremental-markdown.ts";
import { paintMember } from "../../panels/member-name.ts";
import { activityLabel } from "../../panels/turn-header.ts";
import type { Theme } from "../../theme/theme.ts";
import { fitRow, upperRule } from "../draw-frame.ts";
import { shortAge, timeAgo } from "../short-age.ts";
import { locationOf } from "./session-rows.ts";

export const SECTIONS = ["Needs you", "Working", "Ready", "Archived"] as const;
export type Section = (typeof SECTIONS)[number];

const ANSWER_ROWS_MAX = 12;

export function sectionOf({ archived, waiting, status }: SessionSummary): Section {
  if (archived) return "Archived";
  if (waiting !== undefined) return "Needs you";
  return status === "running" ? "Working" : "Ready";
}

export interface SessionsWanted {
  readonly query: string;
  /** Sessions in which the words of the query were said. */
  readonly matchingIds: ReadonlySet<string>;
  /** Only sessions of this folder. */
  readonly cwd: string | undefined;
  /** Last started first, else last changed first. */
  readonly isByStart: boolean;
}

/** What fits the search and the folder, by section and age. */
export function fittingSessions(
  sessions: readonly SessionSummary[],
  { query, matchingIds, cwd, isByStart }: SessionsWanted,
): SessionSummary[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = (session: SessionSummary) =>
    [session.title, locationOf(session), session.sessionId, ...session.members].join("\n").toLowerCase();
  const isWanted = (session: SessionSummary) =>
    (terms.length > 0 && matchingIds.has(session.sessionId)) || terms.every((word) => textOf(session).includes(word));
  const rank = (session: SessionSummary) => SECTIONS.indexOf(sectionOf(session));
  const timeOf = ({ createdTs, updatedTs }: SessionSummary) => (isByStart ? createdTs : updatedTs);
  return sessions
    .filter((session) => (cwd === undefined || session.cwd === cwd) && isWanted(session))
    .toSorted((a, b) => rank(a) - rank(b) || timeOf(b) - timeOf(a));
}

export interface CentreDrawing {
  readonly theme: Theme;
  readonly width: number;
  readonly now: number;
  /** Ages count from the start. */
  readonly isByStart: boolean;
  readonly shortPath: (cwd: string) => string;
  /** As far as it is known. */
  readonly branchOf: (cwd: string) => string | undefined;
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
  const { theme, width, previewOf } = drawing;
  const head = previewOf(session)?.head;
  const time = ageOf(session, section, head, drawing);
  const { at } = session;
  const age = at === undefined ? time : `${terminalSafeLine(`${at.person} · ${at.runner}`)} · ${time}`;
  const room = Math.max(1, width - 5 - visibleWidth(age));
  const title = cutToWidth(terminalSafeLine(session.title) || "(no title)", room);
  const gap = " ".repeat(Math.max(1, width - 4 - visibleWidth(title) - visibleWidth(age)));
  const mark = isChosen ? theme.decorate("bold", theme.glyph("you")) : " ";
  const isUrgent = section === "Needs you" || section === "Working";
  const named = isChosen || isUrgent ? theme.decorate("bold", title) : title;
  const facts = isUrgent ? [stateOf(session, section, head, drawing), factsOf(session, head, drawing)] : [];
  const problem = session.problem === undefined ? [] : [theme.paint("bad", terminalSafeLine(session.problem))];
  const below = [...facts, ...problem].map((row) => fitRow(`   ${row}`, width));
  const rows = [fitRow(` ${mark} ${named}${gap}${theme.paint("quiet", age)} `, width), ...below];
  return rows.map((row) => (isChosen ? theme.paint("selected", row) : row));
}

/** How long a request has left, how long members have worked, or the time of the last change. */
function ageOf(
  { createdTs, updatedTs }: SessionSummary,
  section: Section,
  head: Head | undefined,
  { now, isByStart }: CentreDrawing,
): string {
  const [request] = head?.requests ?? [];
  const left = request === undefined ? 0 : request.ts + request.timeoutMs - now;
  if (left > 0) return `${countdown(left)} left`;
  const turns = Object.values(head?.openTurns ?? {});
  if (section === "Working" && turns.length > 0)
    return formatRunningTime(now - Math.min(...turns.map((turn) => turn.ts)));
  return shortAge(now - (isByStart ? createdTs : updatedTs));
}

/** "◆ codex asks to run $ npm test", "⠼ claude writing, codex running". */
function stateOf(session: SessionSummary, section: Section, head: Head | undefined, drawing: CentreDrawing): string {
  const { theme, width, now } = drawing;
  if (section === "Needs you") {
    const sign = theme.paint("ask", theme.glyph("needsYou"));
    const [request] = head?.requests ?? [];
    return `${sign} ${request === undefined ? "waits for your answer" : requestLine(request, head, { theme, width: width - 6 })}`;
  }
  const spinner = theme.spinner(now);
  const turns = Object.values(head?.openTurns ?? {}).filter(({ depth }) => depth === 0);
  const working = turns.map(
    (turn) => `${memberOf(turn.member, head, theme)} ${theme.paint("quiet", activityLabel(turn))}`,
  );
  const names = session.answering ?? session.members;
  const label = working.length > 0 ? working.join("  ") : theme.paint("quiet", `${names.join(", ")} working`);
  return `${spinner === "" ? "" : `${spinner} `}${label}`;
}

/** "codex asks to run $ npm test", "claude asks: keep the old URLs?" */
function requestLine(
  request: OpenRequest,
  head: Head | undefined,
  { theme, width }: Pick<CentreDrawing, "theme" | "width">,
): string {
  const { kind } = describeRequest(request);
  const asks = { command: "asks to run", edit: "asks to", tool: "asks to use", question: "asks:" }[kind];
  const room = width - visibleWidth(request.member) - asks.length - 2;
  return `${memberOf(request.member, head, theme)} ${asks} ${cutToWidth(whatOf(request), room)}`;
}

/** "gemini waits too: fetch". */
export function nextRequestLine(
  request: OpenRequest,
  head: Head | undefined,
  { theme, width }: Pick<CentreDrawing, "theme" | "width">,
): string {
  const says = theme.paint("quiet", "waits too:");
  const room = width - visibleWidth(request.member) - visibleWidth(says) - 2;
  return `${memberOf(request.member, head, theme)} ${says} ${cutToWidth(whatOf(request), room)}`;
}

/** A tool with its first argument: "fetch https://www.postgresql.org". */
function whatOf(request: OpenRequest): string {
  const { kind, what, fields } = describeRequest(request);
  return terminalSafeLine(kind === "tool" ? `${what} ${fields[0]?.text ?? ""}`.trim() : what);
}

function memberOf(name: string, head: Head | undefined, theme: Theme): string {
  const safe = terminalSafeLine(name);
  return head === undefined ? safe : paintMember(head, theme, name, safe);
}

/** "~/tidepool on main · 2 requests · $0.52". */
function factsOf(session: SessionSummary, head: Head | undefined, drawing: CentreDrawing): string {
  const { theme, shortPath, branchOf } = drawing;
  const { cwd, waiting = 0 } = session;
  const branch = branchOf(cwd);
  const cost = head === undefined ? 0 : (head.totals.costUsd ?? 0) + openCostUsd(head);
  const what = head?.requests.every(({ request }) => request.method !== "approval") === true ? "question" : "request";
  const facts = [
    terminalSafeLine(locationOf(session, shortPath)) + (branch === undefined ? "" : ` on ${terminalSafeLine(branch)}`),
    ...(waiting > 0 ? [plural(waiting, what)] : []),
    ...(cost > 0 ? [formatMoney(cost)] : []),
  ];
  return theme.paint("quiet", facts.join(` ${theme.glyph("dot")} `));
}

/** The last answer of the chosen session. */
export function previewRows(session: SessionSummary, drawing: CentreDrawing): string[] {
  const { theme, width, now, previewOf } = drawing;
  const inner = Math.max(1, width - 2);
  const title = theme.decorate("bold", cutToWidth(terminalSafeLine(session.title) || "(no title)", inner));
  const transcript = previewOf(session);
  // Sessions that need you or work have it in the list.
  const isListed = ["Needs you", "Working"].includes(sectionOf(session));
  const where = isListed ? [] : [fitRow(factsOf(session, transcript?.head, drawing), inner)];
  if (transcript === undefined) return [` ${title}`, ` ${theme.paint("quiet", "Loading …")}`];
  const answer = lastAnswer(transcript);
  if (answer === undefined) return [title, ...where, theme.paint("quiet", "No answer yet")].map((row) => ` ${row}`);
  const when = timeAgo(now - (answer.end?.ts ?? answer.ts));
  const facts = theme.paint("quiet", `last answer, ${answer.member} ${theme.glyph("dot")} ${when}`);
  const markdown = createIncrementalMarkdown({ theme });
  markdown.setText(copyText(answer), { isDone: true });
  const text = markdown.render(inner);
  const shown = text.slice(0, ANSWER_ROWS_MAX);
  const rest = text.length > shown.length ? [theme.paint("quiet", "…")] : [];
  return [title, ...where, facts, "", ...shown, ...rest].map((row) => ` ${row}`);
}

function lastAnswer(transcript: Transcript): TurnMessage | undefined {
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.depth === 0 && copyText(message) !== "") return message;
  }
  return undefined;
}

/** Which folders are shown, and the key that changes it. */
export function titleRow(
  theme: Theme,
  width: number,
  { here, isHere }: { readonly here: string | undefined; readonly isHere: boolean },
): string {
  const [shown, other] = isHere ? [`only ${here}`, "all folders"] : ["all folders", `only ${here}`];
  const quiet = (text: string) => theme.paint("quiet", text);
  const scope = `${quiet(shown)} ${theme.paint("faint", theme.glyph("dot"))} ${theme.paint("key", "Ctrl+A")} ${quiet(other)}`;
  return between(` ${theme.decorate("bold", "Sessions")}`, `${here === undefined ? "" : scope} `, width);
}

interface SectionFacts {
  readonly sessions: readonly SessionSummary[];
  readonly chosen: SessionSummary | undefined;
  /** The field, or what it is for. */
  readonly search: string;
}

export function sectionsRow(theme: Theme, width: number, { sessions, chosen, search }: SectionFacts): string {
  const counts = Object.groupBy(sessions, (session) => sectionOf(session));
  const current = chosen === undefined ? undefined : sectionOf(chosen);
  const tabs = SECTIONS.map((section) => {
    const count = counts[section]?.length ?? 0;
    const figure = section === "Needs you" && count > 0 ? theme.paint("ask", String(count)) : String(count);
    if (section === current) return theme.paint("selected", theme.decorate("bold", ` ${section} ${figure} `));
    return ` ${theme.paint("quiet", section)} ${figure} `;
  });
  return between(` ${tabs.join("  ")}`, `${search} `, width);
}

export function summaryRow(
  theme: Theme,
  width: number,
  { sessions, note }: { readonly sessions: readonly SessionSummary[]; readonly note: string },
): string {
  const open = sessions.filter(({ archived }) => !archived);
  const folders = new Set(open.map(({ cwd }) => cwd)).size;
  const where = theme.paint("quiet", `in ${plural(folders, "folder")}`);
  const problem = note === "" ? "" : `${theme.paint("bad", note)} `;
  return between(` ${plural(open.length, "open session")} ${where}`, problem, width);
}

/** Left and right end of a row; the right one goes first. */
function between(left: string, right: string, width: number): string {
  const gap = width - visibleWidth(left) - visibleWidth(right);
  return gap < 1 ? left : `${left}${" ".repeat(gap)}${right}`;
}

export function centreHints(
  chosen: SessionSummary | undefined,
  ofRequest: readonly string[],
  isByStart: boolean,
): string[] {
  return [
    "Enter open",
    ...ofRequest,
    "Tab next section",
    "/ search",
    "Ctrl+N new",
    chosen?.archived === true ? "Ctrl+X bring back" : "Ctrl+X archive",
    isByStart ? "o last changed first" : "o last started first",
    "Esc back",
  ];
}
