/** Members among themselves: a question that one puts to another, a helper that one sends out, a message that went in. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import {
  exchangeTools,
  loadedMessagesBackward,
  type Block,
  type ToolBlock,
  type Transcript,
} from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import { plural } from "./format.ts";
import type { BlockDrawing } from "./block-view.ts";
import { memberName } from "./member-name.ts";
import { outcomeMark } from "./outcome-marks.ts";
import { firstRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";

/** How far back a message is looked for that went into a running turn. */
const STEERING_LOOKBACK = 1000;
/** Tool calls shown of an answer; the turn that answered has them all. */
const TOOLS_SHOWN_MAX = 20;

export const exchangeDrawing: BlockDrawing<Extract<Block, { kind: "exchange" }>> = {
  canToggle: () => true,
  // While the other member works on its answer, its calls come one after another.
  dependsOn: ({ transcript }, { answerTurnId = "" }) => {
    const { openTurns, members } = transcript.head;
    return Object.hasOwn(openTurns, answerTurnId) ? openTurns[answerTurnId] : members;
  },
  draw: (block, { theme, width, isOpen, context }) => {
    const { to, text, answer } = block;
    const name = memberName(context.transcript.head, theme, to);
    const state = exchangeState(answer);
    const mark = theme.paint("callback", `${isOpen ? "▾" : "▸"} ⇄ asked`);
    const question = isOpen ? "" : theme.paint("dim", ` · ${terminalSafeLine(text)}`);
    const rows = [
      oneRow(`${mark} ${name} · ${theme.paint(answer?.ok === false ? "bad" : "dim", state)}${question}`, width),
    ];
    if (!isOpen) return rows;
    const inner = Math.max(1, width - 4);
    for (const row of firstRows(text, inner, OPEN_ROWS_MAX).rows) rows.push(closeRow(`  ? ${row}`, width));
    for (const row of toolRows(exchangeTools(context.transcript, block))) {
      rows.push(closeRow(`  ${theme.paint("dim", row)}`, width));
    }
    if (answer === undefined) return rows;
    for (const row of firstRows(answer.text, inner, OPEN_ROWS_MAX).rows) {
      rows.push(closeRow(`  ${theme.paint(answer.ok ? "good" : "bad", answer.ok ? "→" : "✗")} ${row}`, width));
    }
    return rows;
  },
};

function toolRows(tools: readonly ToolBlock[]): string[] {
  const rows = tools
    .slice(0, TOOLS_SHOWN_MAX)
    .map(({ name, title, state }) => `· ${terminalSafeLine(title ?? name)} · ${TOOL_STATE_LABELS[state]}`);
  const more = tools.length - rows.length;
  return more > 0 ? [...rows, `· ${plural(more, "more call")}`] : rows;
}

const TOOL_STATE_LABELS: Record<ToolBlock["state"], string> = {
  pending: "running",
  success: "done",
  error: "failed",
  interrupted: "interrupted",
  truncated: "done, cut",
  "agent-callback": "another member answered",
};

function exchangeState(answer: { readonly ok: boolean; readonly text: string } | undefined): string {
  if (answer === undefined) return "waits for the answer";
  return answer.ok ? `answered, ${plural(answer.text.length, "char")}` : "✗ failed";
}

export const subagentDrawing: BlockDrawing<Extract<Block, { kind: "subagent" }>> = {
  canToggle: ({ text, task }) => text !== undefined || task !== "",
  draw: ({ name, task, outcome, text }, { theme, width, isOpen }) => {
    const mark =
      outcome === undefined ? { glyph: "◌", word: "running", tone: "accent" as const } : outcomeMark(outcome);
    const head = `${theme.paint("accent", "↳")} ${theme.decorate("bold", terminalSafeLine(name))} · ${theme.paint(mark.tone, `${mark.glyph} ${mark.word}`)}`;
    if (!isOpen) return [oneRow(`${head} · ${terminalSafeLine(task)}`, width)];
    const inner = Math.max(1, width - 2);
    const rows = [oneRow(head, width)];
    for (const row of firstRows(task, inner, OPEN_ROWS_MAX).rows)
      rows.push(closeRow(`  ${theme.paint("dim", row)}`, width));
    for (const row of firstRows(text ?? "", inner, OPEN_ROWS_MAX).rows) rows.push(closeRow(`  ${row}`, width));
    return rows;
  },
};

export const steeringDrawing: BlockDrawing<Extract<Block, { kind: "steering" }>> = {
  canToggle: () => false,
  draw: ({ messageId }, { theme, width, context }) => {
    const text = steeringText(context.transcript, messageId);
    const label = text === undefined ? "a message went into this turn" : `steered: ${terminalSafeLine(text)}`;
    return wordRows(`↪ ${label.slice(0, width * 4)}`, width).map((row) => theme.paint("user", row));
  },
};

/** The message stands in the session shortly before; on a page that is not in memory it is not looked for. */
function steeringText(transcript: Transcript, messageId: string): string | undefined {
  let looked = 0;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "user" && message.messageId === messageId) return message.text;
    looked += 1;
    if (looked >= STEERING_LOOKBACK) return undefined;
  }
  return undefined;
}
