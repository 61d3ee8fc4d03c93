/** Header and closing rows of a turn. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Outcome, Usage } from "../../protocol/index.ts";
import {
  describeTurn,
  failureDetail,
  isOfExchange,
  loadedMessagesBackward,
  outcomeLabel,
  parentTurn,
  type QuietCost,
  type Transcript,
  type TurnActivity,
  type TurnMessage,
} from "../../transcript/index.ts";
import { closeRow } from "../markdown/wrap-rows.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import { formatCount, formatDuration, formatTokens, timeOf } from "./format.ts";
import { memberName } from "./member-name.ts";
import type { PanelContext } from "./panel.ts";
import { wordRows } from "./plain-rows.ts";

const MARKS: Readonly<Record<Outcome, Omit<OutcomeMark, "word">>> = {
  completed: { glyph: "✓", tone: "ok" },
  interrupted: { glyph: "■", tone: "ask" },
  errored: { glyph: "✗", tone: "bad" },
  timed_out: { glyph: "⧗", tone: "bad" },
};

const REASON_CHARS_MAX = 4000;

export function headerOf(turn: TurnMessage, { theme, settings, transcript }: PanelContext): string {
  const { origin, activity } = describeTurn(turn, isOfExchange(turn) ? parentTurn(turn, transcript) : undefined);
  const facts = [...origin.map(terminalSafeLine), ...(settings.hasTimes ? timeFacts(turn) : [])];
  const name = memberName(transcript.head, theme, turn.member);
  const state = activity === undefined ? "" : formatActivity(turn, activity);
  return `${name}${theme.paint("quiet", facts.map((fact) => ` · ${fact}`).join(""))}${state === "" ? "" : theme.paint("quiet", ` ${state}`)}`;
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

function formatActivity(turn: TurnMessage, { kind, text }: TurnActivity): string {
  if (kind === "writing") return `(streaming · ${formatCount(charsOf(turn))} chars)`;
  if (kind === "working") return `(working · ${formatCount(charsOf(turn))} chars)`;
  const isOngoing = kind === "thinking" || kind === "calling" || kind === "loading" || kind === "starting";
  return `(${terminalSafeLine(text)}${isOngoing ? "…" : ""})`;
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
  const { outcome, error, durationMs } = turn.end;
  const { end } = describeTurn(turn);
  if (end === undefined) {
    return turn.blocks.length === 0 ? [theme.paint("quiet", "(said nothing)")] : [];
  }
  const { glyph, word, tone } = outcomeMark(outcome);
  const after = outcome === "timed_out" ? ` after ${formatDuration(durationMs)}` : "";
  const why = end.why === "" ? "" : `: ${end.why.slice(0, REASON_CHARS_MAX)}`;
  const rows = wordRows(`${glyph} ${word}${after}${why}`, width).map((row) => theme.paint(tone, row));
  const printed = failureDetail(turn).flatMap((line) => wordRows(`  ${line}`, width));
  rows.push(...printed.map((row) => theme.paint("quiet", row)));
  if (error?.hint !== undefined) for (const row of wordRows(error.hint, width)) rows.push(row);
  if (outcome !== "interrupted" && canBeRetried(turn, transcript)) rows.push(theme.paint("quiet", "/retry asks again"));
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
  return wordRows(text, width).map((row) => theme.paint("ask", row));
}

/** Glyph and label of an outcome. */
interface OutcomeMark {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

export function outcomeMark(outcome: Outcome): OutcomeMark {
  const word = terminalSafeLine(outcomeLabel(outcome));
  return Object.hasOwn(MARKS, outcome) ? { ...MARKS[outcome], word } : { glyph: "■", tone: "ask", word };
}
