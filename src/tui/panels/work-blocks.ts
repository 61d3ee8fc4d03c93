/** Plans, file changes, exchanges, subagents and steered messages in a turn. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { FileChange, PlanItem } from "../../protocol/index.ts";
import {
  type Block,
  exchangeTools,
  formatMoney,
  formatRunningTime,
  formatTurnTime,
  formatWork,
  formatWorkTime,
  loadedMessagesBackward,
  toolAction,
  type Transcript,
  turnById,
  type TurnMessage,
  turnText,
} from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { GlyphName } from "../theme/glyphs.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import type { BlockDrawing, DrawOptions } from "./block-view.ts";
import { diffRows } from "./diff-rows.ts";
import { plural } from "./format.ts";
import { memberLabel } from "./member-name.ts";
import { tickOf, type PanelContext } from "./panel.ts";
import { firstRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";
import { paintChanges } from "./tool-block.ts";
import { spinnerOf, twoEnded } from "./turn-header.ts";

/** Messages searched backwards for a steered message. */
const STEERING_LOOKBACK = 1000;

/** Tool calls shown of an answer; the answering turn has all of them. */
const TOOLS_SHOWN_MAX = 20;

const MORE = "(o)";

/** "ask codex Is the timer cleared?  ✓ answered" and the first line of the answer. */
export const exchangeDrawing: BlockDrawing<Extract<Block, { kind: "exchange" }>> = {
  canToggle: () => true,
  // Calls of the answering member arrive one by one.
  dependsOn: (context, { answerTurnId = "", answer }) => {
    const { openTurns, members } = context.transcript.head;
    if (answer === undefined) return tickOf(context);
    return Object.hasOwn(openTurns, answerTurnId) ? openTurns[answerTurnId] : members;
  },
  draw: (block, { theme, width, isOpen, context }) => {
    const { to, text, answer } = block;
    const name = memberLabel(context.transcript.head, theme, to);
    const how =
      answer === undefined
        ? `${spinnerOf(context, to)} ${theme.paint("quiet", "waits for the answer")}`.trimStart()
        : answer.ok
          ? `${theme.paint("ok", theme.glyph("ok"))} ${theme.paint("quiet", "answered")}`
          : theme.paint("bad", `${theme.glyph("failed")} failed`);
    const rows = [action(`ask ${name} ${terminalSafeLine(text)}`, how, width)];
    if (!isOpen) {
      const [first = ""] = (answer?.text ?? "").trim().split("\n");
      return first === "" ? rows : [...rows, resultRow(first, theme, width, answer?.ok === false ? "bad" : "quiet")];
    }
    const inner = Math.max(1, width - 4);
    for (const row of firstRows(text, inner, OPEN_ROWS_MAX).rows) rows.push(closeRow(`  ${row}`, width));
    const tools = exchangeTools(context.transcript, block);
    for (const tool of tools.slice(0, TOOLS_SHOWN_MAX)) {
      const { verb, target } = toolAction(tool, context.transcript.head.cwd);
      rows.push(oneRow(theme.paint("quiet", `  ${terminalSafeLine(`${verb} ${target}`.trim())}`), width));
    }
    if (tools.length > TOOLS_SHOWN_MAX)
      rows.push(
        theme.paint("quiet", `  ${theme.glyph("more")} ${plural(tools.length - TOOLS_SHOWN_MAX, "more call")}`),
      );
    for (const row of firstRows(answer?.text ?? "", inner, OPEN_ROWS_MAX).rows) {
      rows.push(closeRow(`  ${theme.paint("quiet", theme.glyph("output"))} ${row}`, width));
    }
    return rows;
  },
};

/** What first, how it went after; the former gives way. */
function action(what: string, how: string, width: number): string {
  const room = Math.max(12, width - visibleWidth(how) - 2);
  return oneRow(`${visibleWidth(what) <= room ? what : oneRow(what, room)}  ${how}`, width);
}

function resultRow(text: string, theme: Theme, width: number, tone: Tone = "quiet", isCut = true): string {
  const room = Math.max(1, width - 4 - (isCut ? MORE.length + 2 : 0));
  const shown = oneRow(terminalSafeLine(text), room);
  const end = theme.paint("quiet", `  ${theme.glyph("outputEnd")}`);
  return oneRow(`${end} ${theme.paint(tone, shown)}${isCut ? theme.paint("quiet", `  ${MORE}`) : ""}`, width);
}

/** "task Find every caller  ⠼ 21 s · read 14 files · haiku-4.5" and its newest line, or the first of its result. */
export const subagentDrawing: BlockDrawing<Extract<Block, { kind: "subagent" }>> = {
  canToggle: ({ text, task }) => text !== undefined || task !== "",
  dependsOn: (context, { outcome }) => (outcome === undefined ? tickOf(context) : undefined),
  draw: (block, { theme, width, isOpen, context }) => {
    const { name, task, outcome, text = "" } = block;
    const turn = turnById(context.transcript, block.subagentTurnId);
    const title = task.trim() === "" ? name : (task.trim().split("\n")[0] ?? name);
    const how = outcome === undefined ? runningTask(turn, context) : finishedTask(turn, outcome, theme);
    const rows = [action(`task ${theme.decorate("bold", terminalSafeLine(title))}`, how, width)];
    if (!isOpen) {
      if (outcome !== undefined) {
        const [first = ""] = text.trim().split("\n");
        return first === "" ? rows : [...rows, resultRow(first, theme, width)];
      }
      const [last = ""] = (turn === undefined ? "" : turnText(turn)).trim().split("\n").slice(-1);
      return last === "" ? rows : [...rows, resultRow(`${last} ${theme.glyph("more")}`, theme, width, "quiet", false)];
    }
    const inner = Math.max(1, width - 4);
    for (const row of firstRows(task, inner, OPEN_ROWS_MAX).rows)
      rows.push(closeRow(`  ${theme.paint("quiet", row)}`, width));
    for (const row of firstRows(text, inner, OPEN_ROWS_MAX).rows)
      rows.push(closeRow(`  ${theme.paint("quiet", theme.glyph("output"))} ${row}`, width));
    return rows;
  },
};

function runningTask(turn: TurnMessage | undefined, context: PanelContext): string {
  const { theme, now } = context;
  const work =
    turn === undefined ? "" : formatWork(turn.blocks.filter((block) => block.kind === "tool")).replace(/ · .*$/, "");
  const facts = [
    ...(turn === undefined ? [] : [formatRunningTime(now - turn.ts)]),
    ...(work === "" ? [] : [work]),
    ...(turn?.model === undefined ? [] : [terminalSafeLine(turn.model)]),
  ];
  const spinner = spinnerOf(context, context.turn?.member ?? "");
  return `${spinner === "" ? "" : `${spinner} `}${theme.paint("quiet", facts.length === 0 ? "running" : facts.join(` ${theme.glyph("dot")} `))}`;
}

function finishedTask(turn: TurnMessage | undefined, outcome: string, theme: Theme): string {
  const cost = turn?.usage?.costUsd;
  const facts = [
    ...(turn?.end === undefined ? [] : [formatWorkTime(turn.end.durationMs)]),
    ...(cost === undefined || cost <= 0 ? [] : [formatMoney(cost)]),
  ];
  const quiet = theme.paint("quiet", facts.join(` ${theme.glyph("dot")} `));
  if (outcome === "completed") return `${theme.paint("ok", theme.glyph("ok"))} ${quiet}`.trimEnd();
  if (outcome === "interrupted")
    return `${theme.glyph("stopped")} ${theme.paint("quiet", "stopped ")}${quiet}`.trimEnd();
  return `${theme.paint("bad", `${theme.glyph("failed")} failed`)} ${quiet}`.trimEnd();
}

/** Your message into a running turn. The panel puts your sign before it instead of the member's bar. */
export const steeringDrawing: BlockDrawing<Extract<Block, { kind: "steering" }>> = {
  canToggle: () => false,
  draw: ({ messageId, ts }, { theme, width, context }) => {
    const text = steeringText(context.transcript, messageId);
    const shown = terminalSafeLine(text ?? "one of your messages").slice(0, width * 4);
    const { member = "", startTs } = context.turn ?? {};
    const at = startTs === undefined ? "" : ` at ${formatTurnTime(ts - startTs)}`;
    const left = `${theme.glyph("steered")} ${shown}`;
    const right = `${terminalSafeLine(member)} saw it${at}`;
    if (visibleWidth(left) + visibleWidth(right) + 2 <= width) return [twoEnded(left, right, width, theme)];
    const rows = wordRows(left, width).map((row) => closeRow(row, width));
    return [...rows, closeRow(theme.paint("quiet", oneRow(`  ${right}`, width)), width)];
  },
};

type PlanBlock = Extract<Block, { kind: "plan" }>;

const DECISIONS = {
  approve: { word: "approved", glyph: "ok", tone: "ok" },
  reject: { word: "denied", glyph: "denied", tone: "text" },
  edit: { word: "changes requested", glyph: "retrying", tone: "text" },
} as const satisfies Record<string, { word: string; glyph: GlyphName; tone: Tone }>;

/** Open while its turn runs; afterwards one row. */
export const planDrawing: BlockDrawing<PlanBlock> = {
  canToggle: () => true,
  dependsOn: (context, block) => {
    const isLive = context.turn?.isOver === false && block.items.some(({ status }) => status === "in_progress");
    return `${waitsForDecision(context.transcript.head.plan, block)} ${context.turn?.isOver} ${isLive ? tickOf(context) : ""}`;
  },
  draw: (block, { theme, width, isOpen, context }) => {
    const done = block.items.filter((item) => item.status === "completed").length;
    const count = theme.paint("quiet", `${done} of ${block.items.length}`);
    const rows = [oneRow(`${theme.decorate("bold", "Plan")}  ${count}${formatDecision(block, theme, context)}`, width)];
    const isOver = context.turn?.isOver === true;
    if (isOver && !isOpen && !waitsForDecision(context.transcript.head.plan, block)) return rows;
    if (block.explanation !== undefined) {
      for (const row of wordRows(block.explanation, width)) rows.push(closeRow(theme.paint("quiet", row), width));
    }
    for (const item of block.items) {
      const { glyph, isQuiet } = itemMark(item, context, isOver);
      wordRows(terminalSafeLine(item.text), Math.max(1, width - 2)).forEach((row, index) => {
        const text = isQuiet ? theme.paint("quiet", row) : row;
        rows.push(closeRow(`${index === 0 ? glyph : " ".repeat(visibleWidth(glyph))} ${text}`, width));
      });
    }
    return rows;
  },
};

function itemMark({ status }: PlanItem, context: PanelContext, isOver: boolean): { glyph: string; isQuiet: boolean } {
  const { theme } = context;
  if (status === "completed") return { glyph: theme.paint("ok", theme.glyph("ok")), isQuiet: true };
  const spinner = status === "in_progress" && !isOver ? spinnerOf(context, context.turn?.member ?? "") : "";
  return { glyph: spinner === "" ? theme.glyph("waiting") : spinner, isQuiet: false };
}

function formatDecision(block: PlanBlock, theme: Theme, { transcript }: DrawOptions["context"]): string {
  if (block.decision !== undefined) {
    const { word, glyph, tone } = DECISIONS[block.decision];
    return `  ${theme.paint(tone, theme.glyph(glyph))} ${theme.paint("quiet", word)}`;
  }
  if (!waitsForDecision(transcript.head.plan, block)) return "";
  return `  ${theme.paint("ask", theme.glyph("needsYou"))} ${theme.paint("quiet", "waits for you")}`;
}

function waitsForDecision(
  plan: { readonly planId: string; readonly needsDecision: boolean } | undefined,
  block: PlanBlock,
): boolean {
  return plan?.planId === block.planId && plan.needsDecision && block.decision === undefined;
}

const VERBS: Readonly<Record<FileChange["status"], string>> = {
  added: "write",
  modified: "edit",
  deleted: "delete",
  renamed: "move",
};

const FILES_CLOSED_MAX = 8;

/** Changes that no call of the turn stands for, a row each. */
export const changesDrawing: BlockDrawing<Extract<Block, { kind: "changes" }>> = {
  canToggle: ({ files }) => files.length > FILES_CLOSED_MAX || files.some((file) => file.diff !== undefined),
  dependsOn: (context) => context.turn?.editedFiles,
  draw: ({ files, truncatedCount }, { theme, width, isOpen, context }) => {
    const edited = new Set((context.turn?.editedFiles ?? "").split("\n"));
    const { cwd } = context.transcript.head;
    const others = files.filter(({ path }) => !edited.has(path) && !edited.has(path.replace(`${cwd}/`, "")));
    const shown = isOpen ? others : others.slice(0, FILES_CLOSED_MAX);
    const rows: string[] = [];
    for (const file of shown) {
      const { added = 0, removed = 0 } = file;
      const counts =
        file.added === undefined && file.removed === undefined
          ? ""
          : `  ${paintChanges({ added, removed }, theme, VERBS[file.status])}`;
      const path = terminalSafeLine(file.path.startsWith(`${cwd}/`) ? file.path.slice(cwd.length + 1) : file.path);
      rows.push(action(`${VERBS[file.status]} ${path}${counts}`, theme.paint("ok", theme.glyph("ok")), width));
      if (!isOpen || file.diff === undefined) continue;
      const diff = diffRows(file.diff, { theme, width: Math.max(1, width - 1), rowsMax: OPEN_ROWS_MAX });
      for (const row of diff) rows.push(closeRow(` ${row}`, width));
    }
    const hidden = others.length - shown.length + truncatedCount;
    if (hidden > 0)
      rows.push(oneRow(theme.paint("quiet", `  ${theme.glyph("more")} ${plural(hidden, "more file")}`), width));
    return rows;
  },
};

export const finishedDrawing: BlockDrawing<Extract<Block, { kind: "finished" }>> = {
  canToggle: () => false,
  draw: ({ summary }, { theme, width }) => {
    const glyph = theme.paint("ok", theme.glyph("ok"));
    if (summary.trim() === "") return [`${glyph} finished`];
    return wordRows(summary.trim(), Math.max(1, width - 2)).map((row, at) =>
      closeRow(`${at === 0 ? glyph : " "} ${row}`, width),
    );
  },
};

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
