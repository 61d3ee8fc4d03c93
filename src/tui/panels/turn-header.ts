/** Header and closing rows of a turn. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Outcome, Usage } from "../../protocol/index.ts";
import {
  failureDetail,
  isTransient,
  loadedMessagesBackward,
  type QuietCost,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { closeRow } from "../markdown/wrap-rows.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import { formatCount, formatDuration, formatTokens, timeOf } from "./format.ts";
import { memberName } from "./member-name.ts";
import type { PanelContext } from "./panel.ts";
import { wordRows } from "./plain-rows.ts";

/** Messages searched backwards for the asking turn, which is shortly before. */
const ASKER_LOOKBACK = 1000;

const MARKS: Readonly<Record<Outcome, OutcomeMark>> = {
  completed: { glyph: "✓", word: "done", tone: "good" },
  interrupted: { glyph: "■", word: "interrupted", tone: "warn" },
  errored: { glyph: "✗", word: "failed", tone: "bad" },
  timed_out: { glyph: "⧗", word: "timed out", tone: "bad" },
};

const REASON_CHARS_MAX = 4000;

export function headerOf(turn: TurnMessage, { theme, settings, transcript }: PanelContext): string {
  const facts = [...originFacts(turn, transcript), ...(settings.hasTimes ? timeFacts(turn) : [])];
  const name = memberName(transcript.head, theme, turn.member);
  const state = turn.end === undefined ? formatActivity(turn) : "";
  return `${name}${theme.paint("dim", facts.map((fact) => ` · ${fact}`).join(""))}${state === "" ? "" : theme.paint("accent", ` ${state}`)}`;
}

function originFacts(turn: TurnMessage, transcript: Transcript): string[] {
  const facts: string[] = [];
  if (isOfExchange(turn)) facts.push(terminalSafeLine(formatExchange(turn, transcript)));
  else if (turn.depth > 0) facts.push("subagent");
  if (turn.cause === "idle") facts.push("by itself");
  if (turn.cause === "minutes") facts.push("writes the minutes");
  if (turn.origin !== undefined) facts.push(`from ${terminalSafeLine(turn.origin)}`);
  else if (turn.cause === "imported") facts.push("spoken elsewhere");
  if (turn.round !== undefined && turn.round > 1) facts.push(`round ${turn.round}`);
  if (turn.replaced.length > 0) facts.push(`attempt ${turn.replaced.length + 1}`);
  return facts;
}

function timeFacts(turn: TurnMessage): string[] {
  const facts = [timeOf(turn.ts)];
  if (turn.end !== undefined) facts.push(formatDuration(turn.end.durationMs));
  if (turn.model !== undefined) facts.push(terminalSafeLine(turn.model));
  if (turn.usage !== undefined) facts.push(formatUsage(turn.usage));
  return facts;
}

/** Total duration and usage of several turns. */
export function costFacts({ durationMs, usage }: QuietCost): string[] {
  return [formatDuration(durationMs), ...(usage === undefined ? [] : [formatUsage(usage)])];
}

function formatUsage({ inputTokens, outputTokens }: Pick<Usage, "inputTokens" | "outputTokens">): string {
  return `↑${formatTokens(inputTokens)} ↓${formatTokens(outputTokens)}`;
}

/** Current activity of an open turn. */
function formatActivity(turn: TurnMessage): string {
  if (turn.retrying !== undefined) return "(retrying)";
  if (turn.blocks.some((block) => block.kind === "request" && block.state === "open")) return "(waits for your answer)";
  if (isStreaming(turn)) return `(streaming · ${formatCount(charsOf(turn))} chars)`;
  if (turn.isThinking) return "(thinking…)";
  const awaited = waitsFor(turn);
  if (awaited !== undefined) return `(waits for ${terminalSafeLine(awaited)})`;
  const running = turn.blocks.filter((block) => block.kind === "tool" && block.state === "pending");
  if (running.length > 1) return `(calling ${running.length} tools…)`;
  const [tool] = running;
  if (tool?.kind === "tool") return `(calling ${terminalSafeLine(tool.name)}…)`;
  const detail = turn.status?.detail;
  if (detail !== undefined && !isTransient(detail)) return `(${terminalSafeLine(detail)})`;
  if (turn.status?.state === "model_loading") return "(model loading…)";
  return turn.blocks.length === 0 ? "(starting…)" : `(working · ${formatCount(charsOf(turn))} chars)`;
}

/** The member whose answer the turn waits for. */
function waitsFor({ blocks }: TurnMessage): string | undefined {
  const last = blocks.findLast((block) => block.kind === "exchange");
  return last?.wait === true && last.answer === undefined ? last.to : undefined;
}

export function isStreaming(turn: TurnMessage): boolean {
  const last = turn.blocks.at(-1);
  return turn.end === undefined && last?.kind === "text" && !last.done;
}

function charsOf(turn: TurnMessage): number {
  let chars = 0;
  for (const block of turn.blocks) if (block.kind === "text") chars += block.text.length;
  return chars;
}

/** Why an open turn is blocked, or how an ended one failed. */
export function closingRows(turn: TurnMessage, { theme, transcript }: PanelContext, width: number): string[] {
  if (turn.end === undefined) return retryingRows(turn, theme, width);
  const { outcome, reason, error, durationMs } = turn.end;
  if (outcome === "completed") {
    return turn.blocks.length === 0 ? [theme.paint("dim", "(said nothing)")] : [];
  }
  const { glyph, word, tone } = outcomeMark(outcome);
  const after = outcome === "timed_out" ? ` after ${formatDuration(durationMs)}` : "";
  const reasonText = error?.message ?? reason;
  const why =
    reasonText === undefined || reasonText === "" || reasonText === word
      ? ""
      : `: ${reasonText.slice(0, REASON_CHARS_MAX)}`;
  const rows = wordRows(`${glyph} ${word}${after}${why}`, width).map((row) => theme.paint(tone, row));
  const printed = failureDetail(turn).flatMap((line) => wordRows(`  ${line}`, width));
  rows.push(...printed.map((row) => theme.paint("dim", row)));
  if (error?.hint !== undefined) for (const row of wordRows(error.hint, width)) rows.push(row);
  if (outcome !== "interrupted" && canBeRetried(turn, transcript)) rows.push(theme.paint("dim", "/retry asks again"));
  return rows.map((row) => closeRow(row, width));
}

/** Only a member's last turn can be retried, and only for the latest message. */
function canBeRetried(turn: TurnMessage, transcript: Transcript): boolean {
  if (turn.depth > 0 || turn.position < (transcript.head.latestUser?.position ?? 0)) return false;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.position <= turn.position) return true;
    if (message.kind === "turn" && message.member === turn.member && message.depth === 0) return false;
  }
  return true;
}

function retryingRows({ retrying }: TurnMessage, theme: Theme, width: number): string[] {
  if (retrying === undefined) return [];
  const { attempt, of, delayMs, reason } = retrying;
  const text = `↻ retrying, attempt ${attempt} of ${of}, after ${formatDuration(delayMs)}: ${reason.slice(0, REASON_CHARS_MAX)}`;
  return wordRows(text, width).map((row) => theme.paint("warn", row));
}

/** Glyph and label of an outcome. */
interface OutcomeMark {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

/** An unknown outcome of a later version is its own label. */
export function outcomeMark(outcome: Outcome): OutcomeMark {
  if (Object.hasOwn(MARKS, outcome)) return MARKS[outcome];
  return { glyph: "■", word: terminalSafeLine(outcome), tone: "warn" };
}

/** True for a turn of a member that was asked by another, at any depth; subagents are no members. */
export function isOfExchange({ cause, agentExchangeId }: TurnMessage): boolean {
  return cause === "exchange" || agentExchangeId !== undefined;
}

/** Why a turn of an exchange runs: it was asked, or gets the answer. Names are unsanitised. */
export function formatExchange(turn: TurnMessage, transcript: Transcript): string {
  const asking = askingTurn(turn, transcript);
  if (asking === undefined) return "asked by another member";
  if (asking.member !== turn.member) return `asked by ${asking.member}`;
  const question = asking.blocks.find(
    (block) => block.kind === "exchange" && block.agentExchangeId === turn.agentExchangeId,
  );
  return question?.kind === "exchange" ? `hears from ${question.to}` : "hears the answer";
}

function askingTurn({ parentTurnId }: TurnMessage, transcript: Transcript): TurnMessage | undefined {
  if (parentTurnId === undefined) return undefined;
  const { openTurns } = transcript.head;
  if (Object.hasOwn(openTurns, parentTurnId)) return openTurns[parentTurnId];
  let looked = 0;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.turnId === parentTurnId) return message;
    looked += 1;
    if (looked >= ASKER_LOOKBACK) return undefined;
  }
  return undefined;
}
