/**
 * The screen of a session that does not exist yet: who is at the table with which model, questions about this
 * repository, and at the first start who else could join. What is said least needed goes first where rows are few.
 */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { PlannedSession } from "../../../client/index.ts";
import { type PlannedMember, plannedColourOf } from "../../panels/member-name.ts";
import { wrapRows } from "../../markdown/wrap-rows.ts";
import type { Theme } from "../../theme/theme.ts";
import type { DirectoryState, Welcome } from "../options.ts";
import { rowText } from "./chrome-rows.ts";

export interface WelcomeFacts {
  readonly theme: Theme;
  readonly version: string;
  readonly directory: DirectoryState | undefined;
  /** Undefined until the configuration is read. */
  readonly planned: PlannedSession | undefined;
  /** Undefined until it is known. */
  readonly welcome: Welcome | undefined;
}

const MARGIN = 5;
/** Narrower screens have one column as the margin, and no picture of the table. */
const COLUMNS_WITH_PICTURE = 70;
const ROOM_WITH_PICTURE = COLUMNS_WITH_PICTURE - MARGIN - 1;
const INDENT = "  ";
/** Less room than this is not worth a second row. */
const WRAP_COLUMNS_MIN = 24;
const PICTURE_COLUMNS = 17;
const AFTER_NAME = 2;
const AFTER_MODEL = 5;

/** What a form of the screen leaves out. */
interface Form {
  /** Blank rows between sections. */
  readonly gap: number;
  /** A blank row below each heading. */
  readonly hasAir: boolean;
  readonly hasTips: boolean;
  readonly hasOthers: boolean;
  readonly hasHead: boolean;
  /** Nothing is cut at the end of its row. */
  readonly isWhole: boolean;
}

/** Air goes first, then the ends of sentences, then what is needed least. */
const FORMS: readonly Form[] = [
  { gap: 2, hasAir: true, hasTips: true, hasOthers: true, hasHead: true, isWhole: true },
  { gap: 1, hasAir: true, hasTips: true, hasOthers: true, hasHead: true, isWhole: true },
  { gap: 1, hasAir: false, hasTips: true, hasOthers: true, hasHead: true, isWhole: false },
  { gap: 1, hasAir: false, hasTips: false, hasOthers: true, hasHead: true, isWhole: false },
  { gap: 1, hasAir: false, hasTips: false, hasOthers: false, hasHead: true, isWhole: false },
  { gap: 0, hasAir: false, hasTips: false, hasOthers: false, hasHead: false, isWhole: false },
];

/** Rows left for what takes more than one. */
interface Spare {
  rows: number;
}

/** At most `height` rows, none wider than `width`. */
export function welcomeRows(facts: WelcomeFacts, width: number, height: number): string[] {
  const margin = width < COLUMNS_WITH_PICTURE ? 1 : MARGIN;
  const room = Math.max(1, width - margin - 1);
  const cut = (row: string) =>
    row === "" ? "" : " ".repeat(margin) + truncateToWidth(row, room, facts.theme.glyph("more"));
  let rows: string[] = [];
  for (const form of FORMS) {
    const cutRows = () => formRows(facts, form, room, { rows: 0 }).length;
    rows = formRows(facts, form, room, { rows: form.isWhole ? Infinity : height - cutRows() });
    if (rows.length <= height) break;
  }
  return rows.slice(0, height).map(cut);
}

function formRows(facts: WelcomeFacts, form: Form, room: number, spare: Spare): string[] {
  const { theme, welcome } = facts;
  const heading = (text: string) => [theme.decorate("bold", text), ...(form.hasAir ? [""] : [])];
  const indented = (rows: readonly string[]) => rows.map((row) => `${INDENT}${row}`);
  const inner = room - INDENT.length;
  const members = memberRows(facts, form, inner, spare);
  const questions = welcome?.questions ?? [];
  const sections = [
    form.hasHead ? headRows(facts, room) : [],
    members.length === 0 ? [] : [...heading("At the table"), ...indented(members)],
    questions.length === 0
      ? []
      : [...heading("Try one of these"), ...indented(questionRows(questions, theme, inner, spare))],
    form.hasTips && welcome?.isFirst === true
      ? [...heading("Good to know"), ...indented(tipRows(facts).flatMap((tip) => wrapped(tip, inner, spare)))]
      : [],
  ];
  const between = Array.from({ length: form.gap }, () => "");
  return sections.filter((rows) => rows.length > 0).flatMap((rows, at) => (at === 0 ? rows : between.concat(rows)));
}

/** In one row, to be cut, where there is no room for more. */
function wrapped(text: string, width: number, spare: Spare): string[] {
  const rows = width < WRAP_COLUMNS_MIN ? [text] : wrapRows(text, width);
  if (rows.length - 1 > spare.rows) return [text];
  spare.rows -= rows.length - 1;
  return rows;
}

/** The table with a seat for each of the first four members, and beside it what this is and where. */
function headRows({ theme, version, directory, planned }: WelcomeFacts, room: number): string[] {
  const quiet = (text: string) => theme.paint("quiet", text);
  const branch = directory?.branch === undefined ? "" : ` ${quiet("on")} ${rowText(directory.branch)}`;
  const lines = [
    `${theme.decorate("bold", "Roundtable")} ${quiet(version)}`,
    quiet("One conversation, every coding agent at the table."),
    directory === undefined ? "" : rowText(directory.path) + branch,
  ];
  if (room < ROOM_WITH_PICTURE) return lines.filter((row) => row !== "");
  const members = planned?.members ?? [];
  const mark = (slot: number) => markOf(theme, members[slot]?.name, members);
  const [top, middle, bottom] = theme.isAscii ? ["+-----+", "|     |", "+-----+"] : ["╭─────╮", "│     │", "╰─────╯"];
  const picture = [
    `${mark(0)} ${quiet(top ?? "")} ${mark(1)}`,
    `  ${quiet(middle ?? "")}`,
    `${mark(3)} ${quiet(bottom ?? "")} ${mark(2)}`,
  ];
  return picture.map((row, at) => padded(row, PICTURE_COLUMNS) + (lines[at] ?? ""));
}

function markOf(theme: Theme, name: string | undefined, members: readonly PlannedMember[]): string {
  const mark = theme.glyph("member");
  return name === undefined ? theme.paint("faint", mark) : theme.member(name, mark, plannedColourOf(members, name));
}

function memberRows(
  { theme, planned, welcome }: WelcomeFacts,
  { hasOthers }: Form,
  width: number,
  spare: Spare,
): string[] {
  const quiet = (text: string) => theme.paint("quiet", text);
  const joining = planned?.members ?? [];
  const members = joining.map(({ name, model, effort }) => {
    const own = welcome?.members[name];
    const isMuted = planned?.muted.includes(name) === true;
    const facts = [model ?? own?.model ?? "", effort ?? own?.effort ?? ""].filter((text) => text !== "");
    return {
      mark: markOf(theme, name, joining),
      name: theme.member(name, theme.decorate("bold", rowText(name)), plannedColourOf(joining, name)),
      model: rowText(facts.join(` ${theme.glyph("dot")} `)),
      source: quiet([own?.source ?? "", isMuted ? "muted" : ""].filter((text) => text !== "").join(", ")),
    };
  });
  const others = (hasOthers ? (welcome?.others ?? []) : []).map(({ name, state, command, does }) => ({
    mark: markOf(theme, undefined, joining),
    name: quiet(name),
    model: quiet(state),
    source: `${command} ${quiet(does)}`,
  }));
  const rows = [...members, ...others];
  const isWide = ({ model }: (typeof rows)[number]) => model === "";
  const nameColumns = Math.max(0, ...rows.filter((row) => !isWide(row)).map(({ name }) => visibleWidth(name)));
  const modelColumns = Math.max(0, ...rows.map(({ model }) => visibleWidth(model)));
  const before = Math.max(
    modelColumns === 0 ? 0 : nameColumns + AFTER_NAME + modelColumns,
    ...rows.filter(isWide).map(({ name }) => visibleWidth(name)),
  );
  const sourceAt = before + AFTER_MODEL;
  return rows.flatMap((row) => {
    const who = isWide(row) ? row.name : padded(row.name, nameColumns + AFTER_NAME) + row.model;
    if (row.source === "") return [`${row.mark} ${who}`];
    const before = `${row.mark} ${padded(who, sourceAt)}`;
    const after = " ".repeat(sourceAt + 2);
    return wrapped(row.source, width - after.length, spare).map((text, at) => (at === 0 ? before : after) + text);
  });
}

/** A detail that does not fit is left out. */
function questionRows(questions: Welcome["questions"], theme: Theme, width: number, spare: Spare): string[] {
  return questions.flatMap(({ text, detail = "" }, at) => {
    const key = `${theme.paint("band", theme.decorate("bold", ` ${at + 1} `))}  `;
    const whole = `${key}${rowText(text)}  ${theme.paint("quiet", rowText(detail))}`;
    if (detail !== "" && visibleWidth(whole) <= width) return [whole];
    const before = visibleWidth(key);
    return wrapped(rowText(text), width - before, spare).map(
      (row, line) => (line === 0 ? key : " ".repeat(before)) + row,
    );
  });
}

function tipRows({ theme, planned }: WelcomeFacts): string[] {
  const quiet = (text: string) => theme.paint("quiet", text);
  const [first] = planned?.members ?? [];
  const modes =
    planned?.settings.writable === true
      ? `${quiet("Members can edit and run commands; they ask first.")} /writable off ${quiet("makes them read-only.")}`
      : `${quiet("Members can read but change nothing.")} /writable ${quiet("lets them edit and run commands; they ask first.")}`;
  return [
    quiet("Everyone answers on their own first; then you see where they agree and where they differ."),
    modes,
    `${quiet("Talk to one of them with")} @${rowText(first?.name ?? "name")}${quiet(". Nothing you type is lost when you close this window.")}`,
  ];
}

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - visibleWidth(text)));
}
