/** Plans, file changes, exchanges, subagents and steered messages in a turn. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { FileChange, PlanItem } from "../../protocol/index.ts";
import {
  type Block,
  exchangeTools,
  loadedMessagesBackward,
  type ToolBlock,
  type Transcript,
} from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import type { BlockDrawing, DrawOptions } from "./block-view.ts";
import { formatCount, plural } from "./format.ts";
import { memberName } from "./member-name.ts";
import { diffRows, firstRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";
import { outcomeMark } from "./turn-header.ts";

/** Messages searched backwards for a steered message. */
const STEERING_LOOKBACK = 1000;

/** Tool calls shown of an answer; the answering turn has all of them. */
const TOOLS_SHOWN_MAX = 20;

export const exchangeDrawing: BlockDrawing<Extract<Block, { kind: "exchange" }>> = {
  canToggle: () => true,
  // Calls of the answering member arrive one by one.
  dependsOn: ({ transcript }, { answerTurnId = "" }) => {
    const { openTurns, members } = transcript.head;
    return Object.hasOwn(openTurns, answerTurnId) ? openTurns[answerTurnId] : members;
  },
  draw: (block, { theme, width, isOpen, context }) => {
    const { to, text, answer } = block;
    const name = memberName(context.transcript.head, theme, to);
    const state = exchangeState(answer);
    const mark = theme.paint("quiet", `${isOpen ? "▾" : "▸"} ⇄ asked`);
    const question = isOpen ? "" : theme.paint("quiet", ` · ${terminalSafeLine(text)}`);
    const rows = [
      oneRow(`${mark} ${name} · ${theme.paint(answer?.ok === false ? "bad" : "quiet", state)}${question}`, width),
    ];
    if (!isOpen) return rows;
    const inner = Math.max(1, width - 4);
    for (const row of firstRows(text, inner, OPEN_ROWS_MAX).rows) rows.push(closeRow(`  ? ${row}`, width));
    for (const row of toolRows(exchangeTools(context.transcript, block))) {
      rows.push(closeRow(`  ${theme.paint("quiet", row)}`, width));
    }
    if (answer === undefined) return rows;
    for (const row of firstRows(answer.text, inner, OPEN_ROWS_MAX).rows) {
      rows.push(closeRow(`  ${theme.paint(answer.ok ? "ok" : "bad", answer.ok ? "→" : "✗")} ${row}`, width));
    }
    return rows;
  },
};

const TOOL_STATE_LABELS: Record<ToolBlock["state"], string> = {
  pending: "running",
  success: "done",
  error: "failed",
  interrupted: "interrupted",
  truncated: "done, cut",
  "agent-callback": "another member answered",
};

export const subagentDrawing: BlockDrawing<Extract<Block, { kind: "subagent" }>> = {
  canToggle: ({ text, task }) => text !== undefined || task !== "",
  draw: ({ name, task, outcome, text }, { theme, width, isOpen }) => {
    const mark = outcome === undefined ? { glyph: "◌", word: "running", tone: "quiet" as const } : outcomeMark(outcome);
    const head = `${theme.paint("quiet", "↳")} ${theme.decorate("bold", terminalSafeLine(name))} · ${theme.paint(mark.tone, `${mark.glyph} ${mark.word}`)}`;
    if (!isOpen) return [oneRow(`${head} · ${terminalSafeLine(task)}`, width)];
    const inner = Math.max(1, width - 2);
    const rows = [oneRow(head, width)];
    for (const row of firstRows(task, inner, OPEN_ROWS_MAX).rows)
      rows.push(closeRow(`  ${theme.paint("quiet", row)}`, width));
    for (const row of firstRows(text ?? "", inner, OPEN_ROWS_MAX).rows) rows.push(closeRow(`  ${row}`, width));
    return rows;
  },
};

export const steeringDrawing: BlockDrawing<Extract<Block, { kind: "steering" }>> = {
  canToggle: () => false,
  draw: ({ messageId }, { theme, width, context }) => {
    const text = steeringText(context.transcript, messageId);
    const label = text === undefined ? "a message went into this turn" : `steered: ${terminalSafeLine(text)}`;
    return wordRows(`↪ ${label.slice(0, width * 4)}`, width).map((row) => theme.paint("you", row));
  },
};

type PlanBlock = Extract<Block, { kind: "plan" }>;

const FILES_CLOSED_MAX = 8;

const ITEM_MARKS: Readonly<Record<PlanItem["status"], { glyph: string; tone: Tone }>> = {
  pending: { glyph: "☐", tone: "text" },
  in_progress: { glyph: "◐", tone: "quiet" },
  completed: { glyph: "☑", tone: "quiet" },
};

const DECISIONS = {
  approve: { word: "✓ approved", tone: "ok" },
  reject: { word: "✗ rejected", tone: "bad" },
  edit: { word: "✎ changes asked for", tone: "ask" },
} as const satisfies Record<string, { word: string; tone: Tone }>;

export const planDrawing: BlockDrawing<PlanBlock> = {
  canToggle: () => false,
  dependsOn: ({ transcript }, block) => waitsForDecision(transcript.head.plan, block),
  draw: (block, { theme, width, context }) => {
    const done = block.items.filter((item) => item.status === "completed").length;
    const rows = [
      oneRow(
        `${theme.paint("quiet", "☰ plan")} · ${done} of ${block.items.length} done${formatDecision(block, theme, context)}`,
        width,
      ),
    ];
    if (block.explanation !== undefined) {
      for (const row of wordRows(block.explanation, Math.max(1, width - 2)))
        rows.push(closeRow(`  ${theme.paint("quiet", row)}`, width));
    }
    for (const { text, status } of block.items) {
      const { glyph, tone } = ITEM_MARKS[status];
      wordRows(terminalSafeLine(text), Math.max(1, width - 4)).forEach((row, index) => {
        rows.push(closeRow(`  ${theme.paint(tone, index === 0 ? `${glyph} ${row}` : `  ${row}`)}`, width));
      });
    }
    return rows;
  },
};

function formatDecision(block: PlanBlock, theme: Theme, { transcript }: DrawOptions["context"]): string {
  if (block.decision !== undefined) {
    const { word, tone } = DECISIONS[block.decision];
    return ` · ${theme.paint(tone, word)}`;
  }
  return waitsForDecision(transcript.head.plan, block) ? ` · ${theme.paint("ask", "? waits for your decision")}` : "";
}

function waitsForDecision(
  plan: { readonly planId: string; readonly needsDecision: boolean } | undefined,
  block: PlanBlock,
): boolean {
  return plan?.planId === block.planId && plan.needsDecision && block.decision === undefined;
}

export const changesDrawing: BlockDrawing<Extract<Block, { kind: "changes" }>> = {
  canToggle: ({ files }) => files.length > FILES_CLOSED_MAX || files.some((file) => file.diff !== undefined),
  draw: ({ files, truncatedCount }, { theme, width, isOpen }) => {
    const total = files.length + truncatedCount;
    const rows = [
      oneRow(`${theme.paint("quiet", "± changes")} · ${plural(total, "file")}${counts(sumOf(files), theme)}`, width),
    ];
    const shown = isOpen ? files : files.slice(0, FILES_CLOSED_MAX);
    for (const file of shown) {
      rows.push(
        oneRow(
          `  ${theme.paint(FILE_TONES[file.status], file.status)} ${terminalSafeLine(file.path)}${counts(file, theme)}`,
          width,
        ),
      );
      if (!isOpen || file.diff === undefined) continue;
      const diff = diffRows(file.diff, { theme, width: Math.max(1, width - 4), rowsMax: OPEN_ROWS_MAX });
      for (const row of diff) rows.push(closeRow(`    ${row}`, width));
    }
    const hidden = total - shown.length;
    if (hidden > 0) rows.push(theme.paint("quiet", `  … ${plural(hidden, "more file")}`));
    return rows;
  },
};

const FILE_TONES: Readonly<Record<FileChange["status"], Tone>> = {
  added: "added",
  modified: "quiet",
  deleted: "removed",
  renamed: "quiet",
};

interface LineCounts {
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
}

function sumOf(files: readonly FileChange[]): LineCounts {
  if (files.every((file) => file.added === undefined && file.removed === undefined)) return {};
  const sum = (field: "added" | "removed") => files.reduce((total, file) => total + (file[field] ?? 0), 0);
  return { added: sum("added"), removed: sum("removed") };
}

function counts({ added, removed }: LineCounts, theme: Theme): string {
  const plus = added === undefined ? "" : ` ${theme.paint("added", `+${formatCount(added)}`)}`;
  return plus + (removed === undefined ? "" : ` ${theme.paint("removed", `−${formatCount(removed)}`)}`);
}

export const finishedDrawing: BlockDrawing<Extract<Block, { kind: "finished" }>> = {
  canToggle: () => false,
  draw: ({ summary }, { theme, width }) => {
    const rows = [theme.paint("ok", "✓ finished")];
    if (summary.trim() === "") return rows;
    for (const row of wordRows(summary.trim(), Math.max(1, width - 2))) rows.push(closeRow(`  ${row}`, width));
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

function exchangeState(answer: { readonly ok: boolean; readonly text: string } | undefined): string {
  if (answer === undefined) return "waits for the answer";
  return answer.ok ? `answered, ${plural(answer.text.length, "char")}` : "✗ failed";
}

/** The message is shortly before; a page that is not in memory is not searched. */
function steeringText(transcript: Transcript, messageId: string): string | undefined {
  let looked = 0;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "user" && message.messageId === messageId) return message.text;
    looked += 1;
    if (looked >= STEERING_LOOKBACK) return undefined;
  }
  return undefined;
}
