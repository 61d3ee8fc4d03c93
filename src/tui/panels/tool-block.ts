/** Tool calls and requests: what first, how it went after. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { SeenAs } from "../../protocol/index.ts";
import {
  answeredBy,
  argumentFields,
  type Block,
  type DescribedRequest,
  describeRequest,
  failureLines,
  fieldText,
  formatRunningTime,
  formatWorkTime,
  isEdit,
  type RequestOutcome,
  shownOutput,
  toolAction,
  type ToolBlock,
  toolStatus,
  type ToolStatus,
} from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { GlyphName } from "../theme/glyphs.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import type { BlockDrawing, DrawOptions } from "./block-view.ts";
import { diffRows } from "./diff-rows.ts";
import { formatCount } from "./format.ts";
import { tickOf, type PanelContext } from "./panel.ts";
import { firstRows, lastRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";
import { spinnerOf } from "./turn-header.ts";

/** Rows of output while it runs, and of the reason when it failed. */
const OUTPUT_ROWS = 3;

const ARGS_ROWS_MAX = 60;

/** Columns that are left of what a call does, however much there is to tell about how it went. */
const ACTION_COLUMNS_MIN = 12;

export const toolDrawing: BlockDrawing<ToolBlock> = {
  canToggle: () => true,
  dependsOn: (context, block) => (isLive(block, context) ? tickOf(context) : context.turn?.isOver),
  draw: (block, options) => {
    const { theme, width, isOpen, context } = options;
    const status = statusOf(block, context);
    const rows = headRows(block, status, options);
    if (status.kind === "denied" && !isOpen) return rows;
    const inner = Math.max(1, width - 4);
    const push = (row: string, tone: Tone = "quiet") =>
      rows.push(closeRow(`  ${theme.paint("quiet", theme.glyph("output"))} ${theme.paint(tone, row)}`, width));
    if (isOpen)
      for (const row of argsRows(block, inner)) rows.push(closeRow(`    ${theme.paint("quiet", row)}`, width));
    if (status.kind === "failed") {
      const lines = failureLines(block);
      const shown = lastRows(lines.join("\n"), inner, isOpen ? OPEN_ROWS_MAX : OUTPUT_ROWS);
      if (lines.length > 0) for (const row of shown.rows) push(row, "bad");
      pushMore(rows, shown.hiddenLines, options);
    } else if (status.kind === "running" || isOpen) {
      const { rows: output, hiddenLines } = outputOf(block, inner, isOpen);
      for (const row of output) push(row);
      pushMore(rows, hiddenLines, options);
    }
    if (isOpen && block.diff !== undefined) {
      const diff = { theme, width, rowsMax: OPEN_ROWS_MAX, language: languageOf(block) };
      for (const row of diffRows(block.diff, diff)) rows.push(closeRow(row, width));
    }
    return rows;
  },
};

function pushMore(rows: string[], hiddenLines: number, { theme, width }: DrawOptions): void {
  if (hiddenLines === 0) return;
  const label = `  ${theme.glyph("more")} ${formatCount(hiddenLines)} more ${hiddenLines === 1 ? "line" : "lines"} (o)`;
  rows.push(oneRow(theme.paint("quiet", label), width));
}

function isLive(block: ToolBlock, context: PanelContext): boolean {
  const { kind } = statusOf(block, context);
  return kind === "running" || kind === "background";
}

/** Nothing runs in the background of a turn that is over, as far as anybody can tell. */
function statusOf(block: ToolBlock, { turn }: PanelContext): ToolStatus {
  const status = toolStatus(block);
  return status.kind === "background" && turn?.isOver !== false ? { ...status, kind: "ok" } : status;
}

/** What it does and how it went, in one row; unfolded, a command is never cut. */
function headRows(block: ToolBlock, status: ToolStatus, { theme, width, isOpen, context }: DrawOptions): string[] {
  const action = toolAction(block, context.transcript.head.cwd);
  const isLookup = (action.verb === "read" || action.verb === "search") && status.kind === "ok";
  const how = isLookup && status.facts.length === 0 ? "" : howItWent(block, status, context);
  const changes = action.changes === undefined ? "" : `  ${paintChanges(action.changes, theme, action.verb)}`;
  const tail = `${changes}${how === "" ? "" : `  ${how}`}`;
  const detail = action.detail === undefined ? "" : ` ${theme.paint("quiet", terminalSafeLine(action.detail))}`;
  const isQuiet =
    (status.kind === "ok" || status.kind === "stopped" || status.kind === "denied") && !isLookup && !isEdit(block);
  const verb = terminalSafeLine(action.verb);
  const target = terminalSafeLine(action.target);
  const text = [verb, target].filter((part) => part !== "").join(" ");
  const whole = isQuiet
    ? theme.paint("quiet", text)
    : isLookup && verb !== ""
      ? `${theme.paint("quiet", verb)} ${target}`
      : text;
  const room = Math.max(Math.min(width, ACTION_COLUMNS_MIN), width - visibleWidth(tail) - visibleWidth(detail));
  if (visibleWidth(whole) <= room) return [oneRow(`${whole}${detail}${tail}`, width)];
  if (!isOpen) return [oneRow(`${oneRow(whole, room)}${detail}${tail}`, width)];
  const rows = wordRows(text, width).map((row) => closeRow(isQuiet ? theme.paint("quiet", row) : row, width));
  return [...rows, oneRow(`${detail}${tail}`.trimStart(), width)];
}

/** "⠼ 12 s", "✓ 0.3 s · truncated, 64 kB of 9.1 MB", "✗ exit 2 · 4.1 s". */
function howItWent(block: ToolBlock, status: ToolStatus, context: PanelContext): string {
  const { theme, now } = context;
  const dot = ` ${theme.glyph("dot")} `;
  const quiet = (facts: readonly string[]) =>
    theme.paint("quiet", terminalSafeLine(facts.filter((one) => one !== "").join(dot)));
  const took = block.durationMs === undefined || isEdit(block) ? "" : formatWorkTime(block.durationMs);
  const running = formatRunningTime(now - block.startTs);
  const spinner = spinnerOf(context, context.turn?.member ?? "");
  switch (status.kind) {
    case "running":
      return joined(spinner, quiet([spinner === "" ? "running" : "", running, block.detail ?? "", ...status.facts]));
    case "background":
      return joined(spinner, quiet(["in background", running, block.detail ?? ""]));
    case "waits":
      return joined(theme.paint("ask", theme.glyph("needsYou")), quiet([status.text]));
    case "failed": {
      const reason = theme.paint("bad", joined(theme.glyph("failed"), terminalSafeLine(status.text)));
      const facts = quiet([took, ...status.facts]);
      return facts === "" ? reason : `${reason}${theme.paint("quiet", status.text === "" ? " " : dot)}${facts}`;
    }
    case "denied":
      return joined(theme.glyph("denied"), quiet([status.text]));
    case "stopped":
      return joined(theme.glyph("stopped"), quiet([status.text, took, ...status.facts]));
    default:
      return joined(theme.paint("ok", theme.glyph("ok")), quiet([took, ...status.facts]));
  }
}

function joined(glyph: string, text: string): string {
  return [glyph, text].filter((part) => part !== "").join(" ");
}

/** "+4 −2"; a new file has nothing to remove, a deleted one nothing to add. */
export function paintChanges(
  { added, removed }: { readonly added: number; readonly removed: number },
  theme: Theme,
  verb = "edit",
): string {
  const plus = theme.paint("added", `+${formatCount(added)}`);
  const minus = theme.paint("removed", `${theme.glyph("minus")}${formatCount(removed)}`);
  if (verb === "write" && removed === 0) return plus;
  return verb === "delete" && added === 0 ? minus : `${plus} ${minus}`;
}

/** What is not on the row of the call already. */
function argsRows(block: ToolBlock, width: number): readonly string[] {
  const { verb } = toolAction(block);
  if (verb === "$" || isEdit(block)) return [];
  const { rows } = firstRows(argumentFields(block.args).map(fieldText).join("\n"), width, ARGS_ROWS_MAX);
  return rows.filter((row) => row !== "");
}

/** The newest lines while it runs; unfolded, all that is there. A command's result replaces its output. */
function outputOf(block: ToolBlock, width: number, isOpen: boolean): { rows: readonly string[]; hiddenLines: number } {
  const { result = "" } = block;
  const hasResult = result.trim() !== "";
  if (block.diff !== undefined && block.state !== "pending") return { rows: [], hiddenLines: 0 };
  if (hasResult) return firstRows(result, width, isOpen ? OPEN_ROWS_MAX : OUTPUT_ROWS);
  const { text } = shownOutput(block);
  return text.trim() === ""
    ? { rows: [], hiddenLines: 0 }
    : lastRows(text, width, isOpen ? OPEN_ROWS_MAX : OUTPUT_ROWS);
}

/** By the file's name. */
function languageOf(block: ToolBlock): string {
  return /\.(\w+)$/.exec(toolAction(block).target)?.[1] ?? "";
}

/** A request to the user that belongs to no call, at its position in the turn. */
type RequestBlock = Extract<Block, { kind: "request" }>;

const MARKS: Readonly<Record<RequestOutcome["kind"], { glyph: GlyphName; tone: Tone }>> = {
  open: { glyph: "needsYou", tone: "ask" },
  allowed: { glyph: "ok", tone: "ok" },
  denied: { glyph: "denied", tone: "text" },
  answered: { glyph: "ok", tone: "ok" },
  unanswered: { glyph: "denied", tone: "text" },
};

/** Rows of one argument. */
const FIELD_ROWS_MAX = 60;

export const requestDrawing: BlockDrawing<RequestBlock> = {
  canToggle: () => true,
  dependsOn: ({ seenAs }) => seenAs,
  draw: (block, { theme, width, isOpen, context: { seenAs } }) => {
    const described = describeRequest(block);
    const { glyph, tone } = MARKS[described.outcome.kind];
    const outcome = `${theme.paint(tone, theme.glyph(glyph))} ${theme.paint("quiet", terminalSafeLine(described.outcome.text))}`;
    const room = Math.max(ACTION_COLUMNS_MIN, width - visibleWidth(outcome) - 2);
    if (!isOpen) return [oneRow(`${oneRow(terminalSafeLine(described.what), room)}  ${outcome}`, width)];
    const rows = wordRows(described.what, width).map((row) => closeRow(row, width));
    rows.push(oneRow(outcome, width));
    const inner = Math.max(1, width - 2);
    for (const line of detailLines(described, seenAs)) {
      for (const row of firstRows(line, inner, FIELD_ROWS_MAX).rows)
        rows.push(closeRow(`  ${theme.paint("quiet", row)}`, width));
    }
    if (described.diff !== undefined) {
      for (const row of diffRows(described.diff.text, { theme, width: inner, rowsMax: OPEN_ROWS_MAX })) {
        rows.push(closeRow(` ${row}`, width));
      }
    }
    return rows;
  },
};

/** All details of a request. */
function detailLines(described: DescribedRequest, seenAs: SeenAs | undefined): string[] {
  const { title = "", reason, message = "", what, command, fields, notes, questions, choices, outcome } = described;
  const directory = command?.directory === undefined ? [] : [`in ${command.directory}`];
  const texts = [title === what ? "" : title, message].filter((text) => text !== "");
  const asks = questions.flatMap(({ text, choices: own }) => [text].concat(own.map(({ label }) => `- ${label}`)));
  const by = answeredBy(outcome, seenAs);
  return [
    ...directory,
    ...[...fields, ...notes].map(fieldText),
    ...texts,
    ...(reason === undefined ? [] : [`“${reason}”`]),
    ...asks,
    ...choices.map(({ label }) => `- ${label}`),
    ...(by === undefined ? [] : [`answered ${by}`]),
  ];
}
