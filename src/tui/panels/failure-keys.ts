/** Keys of a failed turn: those that fit the failure, and what each does. */
import { visibleWidth } from "@earendil-works/pi-tui";
import {
  describeFailure,
  loadedMessagesBackward,
  membersInOrder,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { ActionName } from "../keys/actions.ts";
import { closeRow } from "../markdown/wrap-rows.ts";
import { plural, timeOf } from "./format.ts";
import type { PanelContext } from "./panel.ts";

export interface FailureKey {
  readonly action: ActionName;
  readonly does: string;
  /** For rows that have no room for all in full. */
  readonly short: string;
}

/** Empty for a turn that has not failed. */
export function failureKeys(turn: TurnMessage, transcript: Transcript): FailureKey[] {
  const failure = describeFailure(turn);
  if (failure === undefined) return [];
  const { member } = turn;
  const keys: FailureKey[] = [];
  const add = (action: ActionName, does: string, short = does) => keys.push({ action, does, short });
  const canRetry = canBeRetried(turn, transcript);
  if (canRetry && failure.retryAt !== undefined)
    add("retry-later", `ask again at ${timeOf(failure.retryAt).slice(0, 5)}`);
  else if (canRetry) add("retry-focused", `ask ${member} again`, "ask again");
  const isStuck = failure.retryAt !== undefined || (failure.hasAnswered && failure.command === undefined);
  const heir = canRetry && isStuck ? heirOf(turn, transcript) : undefined;
  if (heir !== undefined) add("hand-over", `hand over to ${heir}`);
  if (canRetry && othersThan(member, transcript).length > 0 && transcript.head.members[member]?.muted === false)
    add("go-on-without", `go on without ${member}`, "go on without it");
  if (failure.command !== undefined) add("copy-focused", "copy the command");
  if (failure.printed !== undefined) {
    const what = turn.end?.error?.exitCode === undefined ? "the whole error" : "all of stderr";
    add("show-stderr", `${what} (${plural(failure.printed.length, "line")})`, what);
  }
  return keys;
}

/** Only a member's last turn can be retried, and only for the latest message. */
export function canBeRetried(turn: TurnMessage, transcript: Transcript): boolean {
  if (turn.depth > 0 || turn.position < (transcript.head.latestUser?.position ?? 0)) return false;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.position <= turn.position) return true;
    if (message.kind === "turn" && message.member === turn.member && message.depth === 0) return false;
  }
  return true;
}

/** Members whose last turn on the latest message has failed, in order. */
export function failedMembers(transcript: Transcript): string[] {
  const failed = membersInOrder(transcript.head).filter(
    ({ state, muted, lastOutcome }) =>
      !muted && state !== "running" && (lastOutcome === "errored" || lastOutcome === "timed_out"),
  );
  if (failed.length === 0) return [];
  const from = transcript.head.latestUser?.position ?? 0;
  const answering = new Set<string>();
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.position < from) break;
    if (message.kind === "turn" && message.depth === 0) answering.add(message.member);
  }
  return failed.flatMap(({ name }) => (answering.has(name) ? [name] : []));
}

/** Who can take over: the first other member that has not failed too. */
export function heirOf({ member }: TurnMessage, transcript: Transcript): string | undefined {
  const failed = failedMembers(transcript);
  return othersThan(member, transcript).find((name) => !failed.includes(name));
}

function othersThan(member: string, { head }: Transcript): string[] {
  return membersInOrder(head).flatMap(({ name, muted }) => (muted || name === member ? [] : [name]));
}

/**
 * "r ask claude again · g go on without claude", in as few rows as possible. Empty where keys do nothing, and in columns
 * that do not have the focus.
 */
export function failureKeyRows(turn: TurnMessage, context: PanelContext, width: number): string[] {
  const { transcript, keyOf, column, arrangement, focus } = context;
  const isAside = column !== undefined && arrangement === "columns" && focus?.turnId !== turn.turnId;
  if (keyOf === undefined || isAside) return [];
  const keys = failureKeys(turn, transcript).filter(({ action }) => keyOf(action) !== undefined);
  const long = hintRows(keys, "does", context, width);
  return long.length < 2 ? long : hintRows(keys, "short", context, width);
}

function hintRows(
  keys: readonly FailureKey[],
  form: "does" | "short",
  { theme, keyOf }: PanelContext,
  width: number,
): string[] {
  const separator = theme.paint("faint", ` ${theme.glyph("dot")} `);
  const rows: string[] = [];
  for (const key of keys) {
    const hint = `${theme.paint("key", keyOf?.(key.action) ?? "")} ${theme.paint("quiet", terminalSafeLine(key[form]))}`;
    const last = rows.at(-1);
    const joined = `${last ?? ""}${separator}${hint}`;
    if (last !== undefined && visibleWidth(joined) <= width) rows[rows.length - 1] = joined;
    else rows.push(closeRow(hint, width));
  }
  return rows;
}
