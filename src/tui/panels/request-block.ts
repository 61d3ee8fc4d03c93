/** Something a member asked of the user, where it asked: how it stands or what came of it, and what it was. */
import {
  describeRequest,
  fieldText,
  type Block,
  type DescribedRequest,
  type RequestOutcome,
} from "../../transcript/index.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Tone } from "../theme/theme.ts";
import type { BlockDrawing } from "./block-view.ts";
import { diffRows } from "./diff-rows.ts";
import { firstRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";

type RequestBlock = Extract<Block, { kind: "request" }>;

/** Rows of one argument. */
const FIELD_ROWS_MAX = 60;

const MARKS: Readonly<Record<RequestOutcome["kind"], { glyph: string; tone: Tone }>> = {
  open: { glyph: "◆", tone: "warn" },
  allowed: { glyph: "✓", tone: "good" },
  denied: { glyph: "⊘", tone: "dim" },
  answered: { glyph: "✓", tone: "good" },
  unanswered: { glyph: "⊘", tone: "dim" },
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
      for (const row of firstRows(line, inner, FIELD_ROWS_MAX).rows) push(theme.paint("dim", row));
    }
    if (described.diff !== undefined) {
      for (const row of diffRows(described.diff.text, { theme, width: inner, rowsMax: OPEN_ROWS_MAX })) push(row);
    }
    return rows;
  },
};

/** All that was asked, a line or more each. */
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
