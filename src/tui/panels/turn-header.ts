/** The first row of a turn, and its state in a few words. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import {
  describeFailure,
  describeTurn,
  formatMoney,
  formatTook,
  formatTurnTime,
  isOfExchange,
  parentTurn,
  type QuietCost,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import type { Usage } from "../../protocol/index.ts";
import { oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { formatTokens, timeOf } from "./format.ts";
import { memberLabel, paintMember } from "./member-name.ts";
import type { PanelContext } from "./panel.ts";

/** Name and model at the left, state and time at the right; facts give way before names. */
export function headRow(turn: TurnMessage, context: PanelContext, width: number): string {
  const { theme, transcript } = context;
  const name = memberLabel(transcript.head, theme, turn.member);
  const right = stateOf(turn, context, width);
  const [model = "", ...more] = modelFacts(turn, transcript);
  const others = [...originFacts(turn, transcript), ...timeFacts(turn, context)];
  // The model gives way before what sets this turn apart.
  for (const facts of [
    [model, ...more, ...others],
    [model, ...more.slice(0, 1), ...others],
    [model, ...others],
    others,
    [],
  ]) {
    const shown = facts.filter((fact) => fact !== "").join(` ${theme.glyph("dot")} `);
    const left = shown === "" ? name : `${name}  ${theme.paint("quiet", terminalSafeLine(shown))}`;
    const gap = width - visibleWidth(left) - visibleWidth(right);
    if (gap >= 2) return `${left}${" ".repeat(gap)}${right}`;
  }
  return oneRow(`${name} ${right}`, width);
}

/** What a member was switched to says nothing about turns that are over. */
function modelFacts({ model, effort, member, end }: TurnMessage, { head }: Transcript): string[] {
  const state = Object.hasOwn(head.members, member) ? head.members[member] : undefined;
  const isCurrent = end === undefined || state?.model === state?.spec.model;
  const shown = model ?? (isCurrent ? state?.model : undefined);
  if (shown === undefined)
    return state?.model === undefined && state?.spec.kind === "embedded" ? ["built in, no model"] : [];
  return [shown, ...(effort === undefined ? [] : [effort]), ...(isLocal(state?.spec.baseUrl) ? ["local"] : [])];
}

function isLocal(baseUrl = ""): boolean {
  return /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/]|$)/.test(baseUrl);
}

function originFacts(turn: TurnMessage, transcript: Transcript): readonly string[] {
  return describeTurn(turn, isOfExchange(turn) ? parentTurn(turn, transcript) : undefined).origin;
}

function timeFacts(turn: TurnMessage, { settings }: PanelContext): string[] {
  if (!settings.hasTimes) return [];
  return [timeOf(turn.ts), ...(turn.usage === undefined ? [] : [formatUsage(turn.usage)])];
}

/** Total duration and usage of several turns. */
export function costFacts({ durationMs, usage }: QuietCost): string[] {
  return [formatTook(durationMs), ...(usage === undefined ? [] : [formatUsage(usage)])];
}

function formatUsage({ inputTokens, outputTokens }: Pick<Usage, "inputTokens" | "outputTokens">): string {
  return `↑${formatTokens(inputTokens)} ↓${formatTokens(outputTokens)}`;
}

/** "⠹ writing · 0:31", "✓ 0:52 · $0.19", "✗ did not answer". */
export function stateOf(turn: TurnMessage, context: PanelContext, width = Infinity): string {
  const { theme } = context;
  const facts = (list: readonly string[]) => theme.paint("quiet", list.join(` ${theme.glyph("dot")} `));
  if (turn.end === undefined) return liveState(turn, context, width);
  const { outcome, durationMs } = turn.end;
  const time = formatTook(durationMs);
  if (outcome === "completed") {
    const cost = turn.usage?.costUsd === undefined || turn.usage.costUsd <= 0 ? [] : [formatMoney(turn.usage.costUsd)];
    return `${theme.paint("ok", theme.glyph("ok"))} ${facts([time, ...cost])}`;
  }
  if (outcome === "interrupted") return `${theme.glyph("stopped")} ${facts([stoppedLabel(turn), time])}`;
  // Of a later version: neither known to be a failure nor to be none.
  if (outcome !== "errored" && outcome !== "timed_out")
    return `${theme.glyph("stopped")} ${facts([terminalSafeLine(outcome), time])}`;
  const failure = describeFailure(turn);
  const label =
    outcome === "timed_out"
      ? `time limit at ${time}`
      : failure?.hasAnswered === true
        ? `failed at ${time}`
        : "did not answer";
  return `${theme.paint("bad", theme.glyph("failed"))} ${facts([label])}`;
}

function stoppedLabel({ end }: TurnMessage): string {
  if (end?.reason === "restart" || end?.reason === "closed") return "stopped by a restart";
  return end?.reason === undefined || end.reason === "interrupted" ? "stopped by you" : "stopped";
}

/** Beside a spinner, narrower heads have no word for it. */
const STATE_WIDTH_MIN = 42;

function liveState(turn: TurnMessage, context: PanelContext, width: number): string {
  const { theme, now } = context;
  const time = formatTurnTime(now - turn.ts);
  const glyph = liveGlyph(turn, context);
  const isNarrow = width < STATE_WIDTH_MIN && glyph !== "" && glyph === spinnerOf(context, turn.member);
  const facts = [...(isNarrow ? [] : [activityLabel(turn)]), time].join(` ${theme.glyph("dot")} `);
  return `${glyph === "" ? "" : `${glyph} `}${theme.paint("quiet", terminalSafeLine(facts))}`;
}

/** What an open turn does now, as a glyph; empty when nothing may move. */
export function liveGlyph(turn: TurnMessage, context: PanelContext): string {
  const { theme } = context;
  const kind = describeTurn(turn).activity?.kind;
  if (kind === "asking") return theme.paint("ask", theme.glyph("needsYou"));
  return kind === "retrying" ? theme.glyph("retrying") : spinnerOf(context, turn.member);
}

/** In the member's colour; empty when nothing may move. */
export function spinnerOf({ theme, now, transcript }: PanelContext, member: string): string {
  const frame = theme.spinner(now);
  return frame === "" ? "" : paintMember(transcript.head, theme, member, frame);
}

/** What an open turn does now, in one or two words. */
export function activityLabel(turn: TurnMessage): string {
  const { activity } = describeTurn(turn);
  if (activity?.kind === "asking") return "asks";
  return activity?.kind === "calling" ? "running" : (activity?.text ?? "");
}

export function isStreaming(turn: TurnMessage): boolean {
  const last = turn.blocks.at(-1);
  return turn.end === undefined && last?.kind === "text" && !last.done;
}

/** Rows with words at both ends; the left one gives way. */
export function twoEnded(left: string, right: string, width: number, theme: Theme): string {
  const room = width - visibleWidth(right) - 2;
  if (right === "" || room < 8) return oneRow(left, width);
  const shown = visibleWidth(left) <= room ? left : oneRow(left, room);
  const gap = Math.max(1, width - visibleWidth(shown) - visibleWidth(right));
  return `${shown}${" ".repeat(gap)}${theme.paint("quiet", right)}`;
}
