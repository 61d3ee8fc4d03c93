/** The last rows of a turn that waits, failed or was stopped: why, and the command that fixes it. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { describeFailure, formatRunningTime, type TurnMessage } from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import { canBeRetried, failureKeyRows } from "./failure-keys.ts";
import type { PanelContext } from "./panel.ts";
import { wordRows } from "./plain-rows.ts";

const REASON_CHARS_MAX = 4000;

export function closingRows(turn: TurnMessage, context: PanelContext, width: number): string[] {
  const { theme } = context;
  if (turn.end === undefined) return retryingRows(turn, context, width);
  if (turn.end.outcome === "completed") {
    return turn.blocks.length === 0 ? [theme.paint("quiet", "(said nothing)")] : [];
  }
  return turn.end.outcome === "interrupted" ? [] : failureRows(turn, context, width);
}

function failureRows(turn: TurnMessage, context: PanelContext, width: number): string[] {
  const { theme, transcript } = context;
  const failure = describeFailure(turn);
  if (failure === undefined) return [];
  const rows: string[] = [];
  const headline = wordRows(`${theme.glyph("failed")} ${failure.headline}`, width);
  for (const row of headline) rows.push(closeRow(theme.paint("bad", theme.decorate("bold", row)), width));
  const last = headline.at(-1) ?? "";
  const more = terminalSafeLine(failure.more);
  if (more !== "" && visibleWidth(last) + visibleWidth(more) < width) rows[rows.length - 1] += ` ${more}`;
  else if (more !== "") for (const row of wordRows(more, width)) rows.push(closeRow(row, width));
  if (failure.lines.length > 0 && !failure.hasAnswered) rows.push("");
  for (const line of failure.lines) {
    for (const row of wordRows(line, Math.max(1, width - 2)))
      rows.push(closeRow(`${theme.paint("quiet", theme.glyph("output"))} ${row}`, width));
  }
  const retryKey = canBeRetried(turn, transcript) ? retryKeys(turn, context) : undefined;
  if (failure.command !== undefined) rows.push("", ...fixRows(failure.command, retryKey, context, width));
  else if (failure.advice !== undefined) {
    rows.push("");
    for (const row of wordRows(failure.advice, width)) rows.push(closeRow(theme.paint("quiet", row), width));
  }
  const keys = failureKeyRows(turn, context, width);
  if (keys.length > 0) rows.push(...(failure.hasAnswered && failure.command === undefined ? [] : [""]), ...keys);
  return rows.map((row) => closeRow(row, width));
}

/** The keys belong to the turn that has the focus; before them comes the one that gives it. */
function retryKeys({ turnId }: TurnMessage, { keyOf, focus }: PanelContext): string | undefined {
  const [focusing, retry] = [keyOf?.("focus-next"), keyOf?.("retry-focused")];
  if (retry === undefined || focus?.turnId === turnId) return retry;
  return focusing === undefined ? undefined : `${focusing} ${retry}`;
}

/** "To fix it, in another terminal:   claude /login   then press r"; the command is never cut. */
function fixRows(command: string, retryKey: string | undefined, { theme }: PanelContext, width: number): string[] {
  const lead = theme.paint("quiet", "To fix it, in another terminal:");
  const fix = theme.paint("code", theme.decorate("bold", ` ${terminalSafeLine(command)} `));
  const then = retryKey === undefined ? "" : `  ${theme.paint("quiet", "then press")} ${retryKey}`;
  const row = [`${lead}  ${fix}${then}`, `${lead}  ${fix}`].find((form) => visibleWidth(form) <= width);
  if (row !== undefined) return [closeRow(row, width)];
  const own = wordRows(command, Math.max(1, width - 2)).map((part) =>
    theme.paint("code", theme.decorate("bold", ` ${part} `)),
  );
  return [
    oneRow(lead, width),
    ...own.map((part) => closeRow(part, width)),
    ...(then === "" ? [] : [oneRow(then.trimStart(), width)]),
  ];
}

function retryingRows({ retrying }: TurnMessage, { theme }: PanelContext, width: number): string[] {
  if (retrying === undefined) return [];
  const { attempt, of, delayMs, reason } = retrying;
  const facts = `attempt ${attempt} of ${of}: ${reason.slice(0, REASON_CHARS_MAX)}`;
  const text = `${theme.glyph("retrying")} retrying in ${formatRunningTime(delayMs)} ${theme.glyph("dot")} ${facts}`;
  return wordRows(text, width).map((row) => closeRow(theme.paint("quiet", row), width));
}
