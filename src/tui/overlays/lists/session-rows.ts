/** A session as a list row: columns when wide, else the title with the rest below. */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { shortId, shortIdLength } from "../../../kit/short-id.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { SessionSummary } from "../../../protocol/index.ts";
import type { Choice } from "../../app/screen/port.ts";
import { shortAge } from "../short-age.ts";

/** Minimum width for one row per session. */
const COLUMNS_FROM = 84;
/** Minimum width for the directory below the title. */
const DIRECTORY_BELOW_FROM = 56;
/** Minimum width for a directory column. */
const DIRECTORY_FROM = 112;
const DIRECTORY_COLUMNS = 24;
const MEMBERS_SHARE = 0.18;
const MEMBERS_MIN = 8;
const TURNS_COLUMNS = 5;
const AGE_COLUMNS = 9;
const STATUS_COLUMNS = 11;
const CHARS_MAX = 400;
const GAP = "  ";

export interface ListedSessions {
  readonly sessions: readonly SessionSummary[];
  readonly now: number;
  readonly currentId?: string | undefined;
  readonly hasNew?: boolean;
  readonly hasDirectory?: ((cwd: string) => boolean) | undefined;
}

export interface SessionRow {
  /** Undefined for a new session. */
  readonly sessionId: string | undefined;
  readonly isArchived: boolean;
  /** Searchable text in lower case. */
  readonly haystack: string;
  /** Facts beside the title, for the screen reader. */
  facts(): readonly string[];
  show(width: number): { readonly label: string; readonly description?: readonly string[] };
}

export interface SessionTable {
  /** Newest first, with a new one on top where that can be chosen. */
  readonly rows: readonly SessionRow[];
  /** Column titles; undefined without columns. */
  titles(width: number): string | undefined;
}

export function createSessionTable(listed: ListedSessions): SessionTable {
  const { sessions, hasNew = true } = listed;
  const cells = createCells(listed);
  const rows = sessions.toSorted((a, b) => b.updatedTs - a.updatedTs).map((session) => sessionRow(session, cells));
  return {
    rows: hasNew ? [NEW, ...rows] : rows,
    titles: (width) => (width < COLUMNS_FROM ? undefined : inColumns(cells.titles, width)),
  };
}

/** The same for the screen reader. Archived sessions only when there are no others. */
export function sessionChoices(listed: ListedSessions): Choice<{ readonly sessionId?: string }>[] {
  const { rows } = createSessionTable(listed);
  const active = rows.filter((row) => !row.isArchived);
  const shown = active.some((row) => row.sessionId !== undefined) ? active : rows;
  return shown.map((row) => ({
    label: row.show(0).label,
    description: row.facts().join(" · "),
    value: row.sessionId === undefined ? {} : { sessionId: row.sessionId },
  }));
}

const NEW_DESCRIPTION = "starts with your first message";

const NEW: SessionRow = {
  sessionId: undefined,
  isArchived: false,
  // Matches no query: a search is for existing sessions.
  haystack: "",
  facts: () => [NEW_DESCRIPTION],
  show: (width) =>
    width >= COLUMNS_FROM
      ? { label: `+ New session${GAP}${NEW_DESCRIPTION}` }
      : { label: "+ New session", description: [NEW_DESCRIPTION] },
};

interface Cells {
  readonly glyph: string;
  readonly id: string;
  readonly title: string;
  readonly members: string;
  readonly turns: string;
  readonly age: string;
  /** idle, running, interrupted, archived, damaged; followed by the problem. */
  readonly status: string;
  readonly problems: readonly string[];
  readonly cwd: string;
}

interface CellMaker {
  readonly titles: Cells;
  of(session: SessionSummary): Cells;
}

const TITLES = {
  glyph: " ",
  title: "TITLE",
  members: "MEMBERS",
  turns: "TURNS",
  age: "UPDATED",
  status: "STATUS",
  problems: [],
  cwd: "DIRECTORY",
};

/** Common cell data is computed once, a row when first needed. */
function createCells({ sessions, now, currentId, hasDirectory }: ListedSessions): CellMaker {
  const idLength = shortIdLength(sessions.map((one) => one.sessionId));
  const isThere = new Map<string, boolean>();
  const isGone = (cwd: string): boolean => {
    if (hasDirectory === undefined) return false;
    const known = isThere.get(cwd) ?? hasDirectory(cwd);
    isThere.set(cwd, known);
    return !known;
  };
  return {
    titles: { ...TITLES, id: "ID".padEnd(idLength) },
    of: (session) => ({
      glyph: statusGlyph(session),
      id: shortId(session.sessionId, idLength).padEnd(idLength),
      title: shortLine(session.title) || "(no title)",
      members: shortLine(session.members.join(",")) || "-",
      turns: String(session.turns),
      age: shortAge(now - session.updatedTs),
      status: session.sessionId === currentId ? "this one" : statusWord(session),
      problems: [
        ...(session.problem === undefined ? [] : [shortLine(session.problem)]),
        ...(session.at === undefined && isGone(session.cwd) ? ["its directory is gone"] : []),
      ],
      cwd: shortLine(locationOf(session)),
    }),
  };
}

function sessionRow(session: SessionSummary, cells: CellMaker): SessionRow {
  const { sessionId, title, members, problem = "", turns, archived } = session;
  const location = locationOf(session);
  const fields = [sessionId, title, members.join(" "), location, problem, statusWord(session), `${turns} turns`];
  return {
    sessionId,
    isArchived: archived,
    haystack: fields.join("\n").toLowerCase(),
    facts() {
      const made = cells.of(session);
      return [...below(made), made.cwd];
    },
    show(width) {
      const made = cells.of(session);
      if (width >= COLUMNS_FROM) return { label: inColumns(made, width), description: made.problems };
      const directory = width < DIRECTORY_BELOW_FROM ? [] : [made.cwd];
      return { label: `${made.glyph} ${made.title}`, description: [...below(made), ...directory] };
    },
  };
}

function below({ id, members, turns, age, status, problems }: Cells): string[] {
  return [id.trimEnd(), ...problems, status, age, `${turns} ${turns === "1" ? "turn" : "turns"}`, members];
}

function inColumns({ glyph, id, title, members, turns, age, status, cwd }: Cells, width: number): string {
  const membersWidth = Math.max(MEMBERS_MIN, Math.floor(width * MEMBERS_SHARE));
  const before = `${glyph} ${id}${GAP}`;
  const directory = width < DIRECTORY_FROM ? [] : [cell(endOf(cwd, DIRECTORY_COLUMNS), DIRECTORY_COLUMNS)];
  const behind = [
    cell(members, membersWidth),
    turns.padStart(TURNS_COLUMNS),
    age.padStart(AGE_COLUMNS),
    cell(status, STATUS_COLUMNS),
    ...directory,
  ].join(GAP);
  const room = Math.max(8, width - visibleWidth(before) - visibleWidth(behind) - GAP.length);
  return truncateToWidth(`${before}${cell(title, room)}${GAP}${behind}`, width, "…");
}

/** The end of a path says more than its beginning. */
function endOf(text: string, columns: number): string {
  return text.length <= columns ? text : `…${text.slice(text.length - columns + 1)}`;
}

/** Exactly `width` columns. */
function cell(text: string, width: number): string {
  const cut = visibleWidth(text) > width ? truncateToWidth(text, width, "…") : text;
  return cut + " ".repeat(Math.max(0, width - visibleWidth(cut)));
}

function statusGlyph({ status, problem }: SessionSummary): string {
  if (problem !== undefined) return "✗";
  return status === "running" ? "●" : status === "interrupted" ? "◌" : "○";
}

function statusWord({ status, problem, archived, waiting }: SessionSummary): string {
  if (problem !== undefined) return "damaged";
  if (archived) return "archived";
  return waiting === undefined ? status : "waits";
}

/** On the server of a team with its person and machine. */
export function locationOf({ cwd, at }: SessionSummary, shorten: (cwd: string) => string = (path) => path): string {
  if (at === undefined) return shorten(cwd);
  return `${at.person} · ${at.runner}${at.isConnected ? "" : " (away)"}:${cwd}`;
}

function shortLine(text: string): string {
  return terminalSafeLine(text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text);
}
