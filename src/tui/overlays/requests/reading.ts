/** The description of a request, to be read before it is answered, and the rule that names who asks for what. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { readDiff } from "../../../kit/text/read-diff.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { type DescribedRequest, fieldText, type OpenRequest } from "../../../transcript/index.ts";
import { countdown } from "../../app/chrome/format.ts";
import { diffRows } from "../../panels/diff-rows.ts";
import type { Theme } from "../../theme/theme.ts";
import { NARROW_COLUMNS, type Styled } from "../draw-frame.ts";
import { commandRows, countHidden, exactLines, exactRows, fieldRows, namedDiff, proseRows } from "../reading-rows.ts";

/** Text begins where the choices do. */
const INDENT = 3;
const DIFF_ROWS_MAX = 20_000;
const LOW_NUMBER_WIDTH = 4;
/** Under this the countdown is urgent. */
const URGENT_MS = 30_000;

export interface ReadingOptions {
  readonly theme: Theme;
  readonly width: number;
  /** Blank columns on the left. */
  readonly indent?: number | undefined;
  readonly shortPath?: (path: string) => string;
  /** The rule above names the file or the tool. */
  readonly isNamed?: boolean;
  /** Only changed lines, without their common indent. */
  readonly isLow?: boolean;
  /** Rows of one argument. */
  readonly fieldRowsMax?: number;
  readonly hasDetails?: boolean;
}

export interface RequestReading {
  /** What would happen. */
  readonly must: readonly string[];
  /** What the agent says about it: the first to give way. */
  readonly may: readonly string[];
}

/** The effect comes first, which remains visible in a low window; the agent's own explanation follows. */
export function requestReading(request: DescribedRequest, options: ReadingOptions): RequestReading {
  const { theme, width } = options;
  const indent = " ".repeat(options.indent ?? (width < NARROW_COLUMNS ? 0 : INDENT));
  const room = Math.max(1, width - indent.length - (indent === "" ? 0 : 1));
  const prose = (text: string, style: (row: string) => string) =>
    proseRows(text, room, style).map((row) => indent + row);
  const { kind, title = "", reason, message = "", details } = request;
  if (kind === "question") {
    const bold = prose(title, (row) => theme.decorate("bold", row));
    return { must: bold, may: prose(message, (row) => theme.paint("quiet", row)) };
  }
  const fields = [...request.fields, ...request.notes];
  const must = [
    ...hiddenRows(request, room, theme),
    ...whatRows(request, { ...options, room }),
    ...fieldRows(fields, { width: room, theme, linesMax: options.fieldRowsMax ?? Infinity }),
  ].map((row) => indent + row);
  const explanation = [
    ...prose(title, (row) => theme.paint("quiet", row)),
    ...prose(reason === undefined ? "" : `“${reason}”`, (row) => theme.paint("quiet", row)),
  ];
  const changes = diffOf(request, options, indent === "" ? "" : " ");
  const isApart = changes.length + fields.length > 0 && explanation.length > 0;
  const raw =
    options.hasDetails === true ? details.flatMap((field) => exactRows(fieldText(field), room, theme, "quiet")) : [];
  return {
    must: [...must, ...changes],
    may: [
      ...(isApart ? [""] : []),
      ...explanation,
      ...(raw.length === 0 ? [] : ["", ...raw.map((row) => indent + row)]),
    ],
  };
}

const WHERE = "  in ";

/** The command and where it runs, or the files and the tool as far as the rule does not name them. */
function whatRows(
  { kind, command, files, diff, what }: DescribedRequest,
  { room, theme, isNamed = false, shortPath = (path) => path }: ReadingOptions & { room: number },
): string[] {
  if (kind === "command") {
    const directory = shortPath(command?.directory ?? "");
    const [first = "", ...rest] = exactLines(directory, Math.max(1, room - WHERE.length));
    const where = `  ${theme.paint("quiet", "in")} ${first}`;
    const others = rest.map((row) => " ".repeat(WHERE.length) + row);
    return [...commandRows(command?.line ?? "", room, theme), ...(directory === "" ? [] : [where, ...others])];
  }
  if (isNamed && files.length <= 1) return [];
  if (kind === "tool") return exactLines(what, room);
  const counts = diff === undefined ? "" : `  ${paintCounts(diff, theme)}`;
  const named = proseRows(files.join(", "), room, (row) => theme.decorate("bold", row));
  return named.map((row, at) => (at === named.length - 1 && visibleWidth(row + counts) <= room ? row + counts : row));
}

/** The same rows as in the view of changes; bands run as far as the choices. */
function diffOf(
  { diff, files, kind, fields, notes }: DescribedRequest,
  { theme, width, isLow = false }: ReadingOptions,
  margin: string,
): string[] {
  if (diff === undefined) return [];
  const [path = ""] = files;
  const rows = diffRows(isLow ? changedLines(namedDiff(diff.text)) : namedDiff(diff.text), {
    theme,
    width: Math.max(1, width - 2 * margin.length),
    rowsMax: DIFF_ROWS_MAX,
    language: path.slice(path.lastIndexOf(".") + 1),
    isWhole: !isLow,
    ...(isLow ? { numberWidth: LOW_NUMBER_WIDTH } : {}),
  });
  const isApart = !isLow && (kind !== "edit" || fields.length + notes.length > 0);
  return [...(isApart ? [""] : []), ...rows.map((row) => margin + row)];
}

function paintCounts({ added, removed }: { added: number; removed: number }, theme: Theme): string {
  return `${theme.paint("added", `+${added}`)} ${theme.paint("removed", `${theme.glyph("minus")}${removed}`)}`;
}

/** The diff without lines that stay, each run of changes with its own numbers, and without the indent they share. */
function changedLines(diff: string): string {
  const runs: (ChangedRun & { readonly lines: string[] })[] = [];
  let lead = "";
  let [before, after] = [1, 1];
  let isInRun = false;
  for (const line of readDiff(diff)) {
    if (line.kind === "file") lead = `--- ${line.before}\n+++ ${line.after}\n`;
    if (line.kind === "hunk") [before, after] = [line.oldStart ?? before, line.newStart ?? after];
    const isChange = line.kind === "removed" || line.kind === "added";
    if (isChange) {
      if (!isInRun) {
        runs.push({ lead, from: [before, after], lines: [] });
        lead = "";
      }
      runs.at(-1)?.lines.push((line.kind === "added" ? "+" : "-") + line.text);
    }
    isInRun = isChange;
    if (line.kind === "unchanged" || line.kind === "removed") before += 1;
    if (line.kind === "unchanged" || line.kind === "added") after += 1;
  }
  const indents = runs.flatMap(({ lines }) => lines).flatMap((line) => /^.(\s*)\S/.exec(line)?.[1]?.length ?? []);
  const shared = indents.length === 0 ? 0 : Math.min(...indents);
  return runs.map((run) => runText(run, shared)).join("\n");
}

interface ChangedRun {
  /** Names of its file, when another one begins. */
  readonly lead: string;
  readonly from: readonly [number, number];
  readonly lines: readonly string[];
}

function runText({ lead, from: [before, after], lines }: ChangedRun, indent: number): string {
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const head = `${lead}@@ -${before},${count("-")} +${after},${count("+")} @@`;
  return [head, ...lines.map((line) => line.slice(0, 1) + line.slice(1 + indent))].join("\n");
}

function hiddenRows({ what, command, fields, notes }: DescribedRequest, width: number, theme: Theme): string[] {
  const texts = [what, command?.directory ?? "", ...[...fields, ...notes].map(fieldText)];
  const count = texts.reduce((sum, text) => sum + countHidden(text), 0);
  const warning = `! Contains ${count} hidden ${count === 1 ? "character" : "characters"}, shown as ⟨U+…⟩.`;
  return count === 0 ? [] : proseRows(warning, width, (row) => theme.paint("ask", row));
}

export interface RequestRule {
  readonly title: Styled;
  readonly corner: Styled | undefined;
  /** The title names the file or the tool. */
  readonly isNamed: boolean;
}

interface RuleFacts {
  readonly theme: Theme;
  readonly width: number;
  readonly now: number;
  /** "1 of 2", "1 more waiting". */
  readonly facts?: readonly string[];
  /** How a file is named in the title. */
  readonly shortFile?: (path: string) => string;
}

/** Between the heading and the corner, with both ends of the rule. */
const RULE_COLUMNS = 6;

/** Who asks for what; on the right how many wait and the timeout. Shortened when narrow. */
export function requestRule(
  { ts, timeoutMs }: Pick<OpenRequest, "ts" | "timeoutMs">,
  { heading: written, files, atLimit, diff, kind }: DescribedRequest,
  { theme, width, now, facts = [], shortFile }: RuleFacts,
): RequestRule {
  const [file = "", ...others] = kind === "edit" ? files : [];
  const isOne = file !== "" && others.length === 0 && shortFile !== undefined;
  const heading = isOne ? written.replace(file, () => shortFile(file)) : written;
  const left = ts + timeoutMs - now;
  const time = left > 0 ? countdown(left) : "time is up";
  const clock = theme.paint(left < URGENT_MS ? "ask" : "text", time);
  const quiet = (text: string) => theme.paint("quiet", text);
  const dot = quiet(` ${theme.glyph("dot")} `);
  const until = left > 0 ? `${quiet(`${atLimit} in`)} ${clock}` : clock;
  const sign = theme.paint("ask", theme.decorate("bold", theme.glyph("needsYou")));
  const named = (text: string) => `${sign} ${theme.decorate("bold", terminalSafeLine(text))}`;
  const counts = kind === "edit" && diff !== undefined ? `  ${paintCounts(diff, theme)}` : "";
  const short = named(/^\S+ asks to \S+/.exec(heading)?.[0] ?? heading);
  const titles = width < NARROW_COLUMNS ? [] : [named(heading) + counts];
  const corners = width < NARROW_COLUMNS ? [clock] : [[...facts.map(quiet), until].join(dot), until, clock];
  const all = [...titles, short].flatMap((title) => corners.map((corner) => ({ title, corner })));
  const fitting = all.find((one) => visibleWidth(one.title) + visibleWidth(one.corner) + RULE_COLUMNS <= width);
  const { title, corner } = fitting ?? { title: short, corner: undefined };
  return {
    title: { styled: title },
    corner: corner === undefined ? undefined : { styled: corner },
    isNamed: title !== short,
  };
}
