/** Tool calls and requests. A call shows state, title and output. */
import { stripTerminalSequences, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { withEllipsis } from "../../kit/text/format.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Json } from "../../protocol/index.ts";
import {
  argumentFields,
  type Block,
  type DescribedRequest,
  describeRequest,
  fieldText,
  isDenied,
  type RequestOutcome,
  shownOutput,
  toolApproval,
  type ToolBlock,
  type ToolState,
} from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import type { BlockDrawing, DrawOptions } from "./block-view.ts";
import { diffRows, firstRows, lastRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";
import { formatBytes, formatCount, formatDuration, plural } from "./format.ts";

/** Rows of one argument. */
const FIELD_ROWS_MAX = 60;

const MARKS: Readonly<Record<RequestOutcome["kind"], { glyph: string; tone: Tone }>> = {
  open: { glyph: "◆", tone: "ask" },
  allowed: { glyph: "✓", tone: "ok" },
  denied: { glyph: "⊘", tone: "quiet" },
  answered: { glyph: "✓", tone: "ok" },
  unanswered: { glyph: "⊘", tone: "quiet" },
};

export const requestDrawing: BlockDrawing<RequestBlock> = {
  canToggle: () => true,
  draw: (block, { theme, width, isOpen }) => {
    const described = describeRequest(block);
    const { glyph, tone } = MARKS[described.outcome.kind];
    const outcome = theme.paint(tone, terminalSafeLine(`${glyph} ${described.outcome.text}`));
    const what = theme.decorate("bold", terminalSafeLine(described.what));
    if (!isOpen) return [oneRow(`${outcome} · ${what}`, width)];
    const rows = [oneRow(outcome, width)];
    const inner = Math.max(1, width - 2);
    const push = (row: string) => rows.push(closeRow(`  ${row}`, width));
    for (const row of wordRows(described.what, inner)) push(theme.decorate("bold", row));
    for (const line of detailLines(described)) {
      for (const row of firstRows(line, inner, FIELD_ROWS_MAX).rows) push(theme.paint("quiet", row));
    }
    if (described.diff !== undefined) {
      for (const row of diffRows(described.diff.text, { theme, width: inner, rowsMax: OPEN_ROWS_MAX })) push(row);
    }
    return rows;
  },
};

/** Rows of output, result and diff while collapsed. */
const OUTPUT_ROWS = 5;

const DIFF_ROWS = 12;

const ARGS_ROWS_MAX = 60;

const SHORT_ARGS_CHARS = 200;

const STATES: Readonly<Record<ToolState, { glyph: string; word: string; tone: Tone }>> = {
  pending: { glyph: "◌", word: "running", tone: "quiet" },
  success: { glyph: "✓", word: "done", tone: "ok" },
  error: { glyph: "✗", word: "failed", tone: "bad" },
  interrupted: { glyph: "■", word: "interrupted", tone: "ask" },
  truncated: { glyph: "✂", word: "done, truncated", tone: "ask" },
  "agent-callback": { glyph: "⇄", word: "another member answered", tone: "quiet" },
};

const DENIED = { glyph: "⊘", tone: "quiet" } as const;

const AWAITING_APPROVAL = { glyph: "◆", tone: "ask" } as const;

/** Length of an approval's answer in the header of a call. */
const APPROVAL_CHARS_MAX = 60;

export const toolDrawing: BlockDrawing<ToolBlock> = {
  canToggle: () => true,
  draw: (block, options) => {
    const { theme, width, isOpen } = options;
    const rows = headRows(block, options);
    const inner = Math.max(1, width - 2);
    const push = (row: string) => rows.push(closeRow(`  ${row}`, width));
    const pushText = (tone: Tone, text: string) => {
      for (const row of wordRows(text, inner)) push(theme.paint(tone, row));
    };
    if (isOpen) for (const row of argsRows(block.args, inner)) push(theme.paint("quiet", row));
    if (block.detail !== undefined && block.state === "pending") pushText("quiet", block.detail);
    if (!isOpen && isLookup(block)) {
      for (const row of summaryRow(block, inner, theme)) push(row);
      return rows;
    }
    for (const row of outputRows(block, isOpen, inner, theme)) push(row);
    if (block.result !== undefined) for (const row of resultRows(block.result, isOpen, inner, theme)) push(row);
    if (isDenied(block)) {
      if (isOpen) for (const text of denialTexts(block)) pushText("quiet", text);
    } else if (hasUnshownError(block)) pushText("bad", block.error?.message ?? "");
    if (block.diff !== undefined) {
      const diff = { theme, width: inner, rowsMax: isOpen ? OPEN_ROWS_MAX : DIFF_ROWS };
      for (const row of diffRows(block.diff, diff)) push(row);
    }
    if (block.truncated !== undefined) {
      const { shownBytes, totalBytes } = block.truncated;
      pushText("ask", `✂ truncated: showing ${formatBytes(shownBytes)} of ${formatBytes(totalBytes)}`);
    }
    return rows;
  },
};

function headRows(block: ToolBlock, { theme, width, isOpen }: DrawOptions): string[] {
  const { glyph, word, tone, facts } = stateOf(block);
  const more = facts.map((fact) => ` · ${fact}`).join("");
  const state = `${theme.paint(tone, `${glyph} ${word}`)}${theme.paint("quiet", more)}`;
  const title = terminalSafeLine(block.title ?? `${block.name}${shortArgs(block.args)}`);
  if (!isOpen) return [oneRow(`${state} · ${theme.decorate("bold", title)}`, width)];
  const named = block.title === undefined ? terminalSafeLine(block.name) : `${title} (${terminalSafeLine(block.name)})`;
  const [first = "", ...rest] = wordRows(named, Math.max(1, width - 2));
  return [oneRow(state, width), ...[first, ...rest].map((row) => closeRow(`  ${theme.decorate("bold", row)}`, width))];
}

/** State of the call, with a short remark. */
function stateOf(block: ToolBlock): { glyph: string; word: string; tone: Tone; facts: string[] } {
  const approval = toolApproval(block);
  const approvalText = withEllipsis(terminalSafeLine(approval?.text ?? ""), APPROVAL_CHARS_MAX);
  if (approval?.kind === "open" && block.state === "pending")
    return { ...AWAITING_APPROVAL, word: approvalText, facts: [] };
  if (isDenied(block)) return { ...DENIED, word: approvalText, facts: [] };
  const time = block.durationMs === undefined ? [] : [formatDuration(block.durationMs)];
  return { ...STATES[block.state], facts: [...time, ...(approvalText === "" ? [] : [approvalText])] };
}

/** The full reason of a denial; the header has only its beginning. */
function denialTexts(block: ToolBlock): string[] {
  const approvalText = toolApproval(block)?.text ?? "";
  const texts = [approvalText.length > APPROVAL_CHARS_MAX ? approvalText : "", block.error?.message ?? ""];
  return texts.filter((text) => text !== "");
}

/** Beginning of the arguments, for calls without a title. */
function shortArgs(args: Json): string {
  if (args === null || typeof args !== "object")
    return args === null ? "" : ` ${String(args).slice(0, SHORT_ARGS_CHARS)}`;
  const values = Object.values(args).filter((value) => typeof value === "string" || typeof value === "number");
  return values.length === 0 ? "" : ` ${values.join(" ").slice(0, SHORT_ARGS_CHARS)}`;
}

function argsRows(args: Json, width: number): readonly string[] {
  const text = argumentFields(args).map(fieldText).join("\n");
  if (text === "") return [];
  const { rows, hiddenLines } = firstRows(text, width, ARGS_ROWS_MAX);
  return hiddenLines === 0 ? rows : [...rows, `… ${plural(hiddenLines, "more line")}`];
}

/** Lookups matter while they run; afterwards they only precede the answer. */
function isLookup({ state, toolKind, diff, error }: ToolBlock): boolean {
  const isDone = state === "success" || state === "truncated";
  return isDone && (toolKind === "read" || toolKind === "search") && diff === undefined && error === undefined;
}

/** First line of the result, else the last line of output. */
function summaryRow({ result = "", output }: ToolBlock, width: number, theme: Theme): string[] {
  const { rows, hiddenLines } = result.trim() === "" ? lastRows(output, width, 1) : firstRows(result, width, 1);
  const [row = ""] = rows;
  if (row.trim() === "") return [];
  const more = hiddenLines === 0 ? "" : ` … ${plural(hiddenLines, "more line")}`;
  const room = Math.max(0, width - visibleWidth(more));
  return [
    oneRow(`${stripTerminalSequences(truncateToWidth(row, room, "")).trimEnd()}${theme.paint("quiet", more)}`, width),
  ];
}

/** The output of a failed command ends with its error. */
function hasUnshownError({ error, result = "" }: ToolBlock): boolean {
  return error !== undefined && error.message !== "" && !result.includes(error.message);
}

/** The newest lines, where something happens. A command's result replaces its output. */
function outputRows(block: ToolBlock, isOpen: boolean, width: number, theme: Theme): string[] {
  const isRepeated = block.toolKind === "execute" && (block.result ?? "").trim() !== "";
  if (isRepeated || block.output.trim() === "") return [];
  const { text, dropped } = shownOutput(block);
  const { rows, hiddenLines } = lastRows(text, width, isOpen ? OPEN_ROWS_MAX : OUTPUT_ROWS);
  const above = hiddenLines === 0 ? [] : [`… ${plural(hiddenLines, "line")} above`];
  if (dropped > 0) above.push(`… ${formatCount(dropped)} characters before are not kept`);
  return [...above.map((row) => oneRow(theme.paint("quiet", row), width)), ...rows];
}

function resultRows(result: string, isOpen: boolean, width: number, theme: Theme): string[] {
  if (result.trim() === "") return [];
  const { rows, hiddenLines } = firstRows(result, width, isOpen ? OPEN_ROWS_MAX : OUTPUT_ROWS);
  return hiddenLines === 0 ? [...rows] : [...rows, theme.paint("quiet", `… ${plural(hiddenLines, "more line")}`)];
}

/** A request to the user at its position in the turn: its state or outcome, and its description. */
type RequestBlock = Extract<Block, { kind: "request" }>;

/** All details of a request. */
function detailLines(described: DescribedRequest): string[] {
  const { title = "", reason, message = "", what, command, fields, questions, choices, outcome } = described;
  const directory = command?.directory === undefined ? [] : [`in ${command.directory}`];
  const texts = [title === what ? "" : title, message].filter((text) => text !== "");
  const asks = questions.flatMap(({ text, choices: own }) => [text].concat(own.map(({ label }) => `- ${label}`)));
  const by = outcome.by === undefined ? [] : [`answered from ${outcome.by}`];
  return [
    ...directory,
    ...fields.map(fieldText),
    ...texts,
    ...(reason === undefined ? [] : [`“${reason}”`]),
    ...asks,
    ...choices.map(({ label }) => `- ${label}`),
    ...by,
  ];
}
