/** Something a member asked of the user, where it asked: what, how it stands, and what was answered. */
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import type { Block, RequestState } from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Tone } from "../theme/theme.ts";
import type { BlockDrawing } from "./block-view.ts";
import { diffRows } from "./diff-rows.ts";
import { firstRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";

type RequestBlock = Extract<Block, { kind: "request" }>;

const ANSWER_CHARS_MAX = 2000;

const STATES: Readonly<Record<RequestState, { glyph: string; word: string; tone: Tone }>> = {
  open: { glyph: "?", word: "waits for your answer", tone: "warn" },
  answered: { glyph: "✓", word: "answered", tone: "good" },
  answered_elsewhere: { glyph: "✓", word: "answered elsewhere", tone: "good" },
  expired: { glyph: "⧗", word: "expired, the default was taken", tone: "warn" },
  cancelled: { glyph: "■", word: "cancelled", tone: "warn" },
  restart: { glyph: "■", word: "ended by a restart", tone: "warn" },
};

export const requestDrawing: BlockDrawing<RequestBlock> = {
  canToggle: ({ request }) => detailOf(request) !== "",
  draw: ({ request, state, answer }, { theme, width, isOpen }) => {
    const { glyph, word, tone } = STATES[state];
    const by = answer?.by === undefined ? "" : ` by ${terminalSafeLine(answer.by)}`;
    const head = `${theme.paint(tone, `${glyph} ${word}${by}`)} · ${theme.decorate("bold", terminalSafeLine(request.title))}`;
    const rows = [oneRow(head, width)];
    const inner = Math.max(1, width - 2);
    const push = (row: string) => rows.push(closeRow(`  ${row}`, width));
    if (request.method === "approval" || state === "open" || isOpen) {
      const { rows: detail, hiddenLines } = firstRows(detailOf(request), inner, isOpen ? OPEN_ROWS_MAX : 4);
      for (const row of detail) if (row !== "") push(theme.paint("dim", row));
      if (hiddenLines > 0) push(theme.paint("dim", "…"));
    }
    if (isOpen && request.method === "approval" && request.diff !== undefined) {
      for (const row of diffRows(request.diff, { theme, width: inner, rowsMax: OPEN_ROWS_MAX })) push(row);
    }
    if (answer !== undefined) {
      const said = answer.error === null ? answerWords(request, answer.result) : `error: ${answer.error}`;
      for (const row of wordRows(`→ ${said}`, inner)) push(row);
    }
    return rows;
  },
};

function detailOf(request: UiRequestBody): string {
  switch (request.method) {
    case "approval":
      return request.call;
    case "confirm":
      return request.message;
    case "select":
      return request.options.map((option) => option.label).join(" · ");
    case "question":
      return request.questions.map((question) => question.text).join("\n");
    case "editor":
      return request.prefill ?? "";
    default:
      return request.placeholder ?? "";
  }
}

function answerWords(request: UiRequestBody, result: Json): string {
  if (result === null) return "no answer";
  if (typeof result === "boolean") return result ? "yes" : "no";
  if (typeof result === "string") {
    const options = request.method === "select" || request.method === "approval" ? request.options : [];
    return (options.find((option) => option.value === result)?.label ?? result).slice(0, ANSWER_CHARS_MAX);
  }
  return JSON.stringify(result).slice(0, ANSWER_CHARS_MAX);
}
