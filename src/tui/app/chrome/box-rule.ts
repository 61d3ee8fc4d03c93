/** The rule above the box, the live line: left, who gets what you type; right, what happens now and the key that ends it. */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { ConnectionState } from "../../../client/index.ts";
import { plural } from "../../../kit/text/format.ts";
import {
  describeRequest,
  formatTurnTime,
  type Head,
  isRunning,
  membersInOrder,
  type OpenRequest,
  type Recipients,
  type Transcript,
} from "../../../transcript/index.ts";
import { failedMembers } from "../../panels/failure-keys.ts";
import { colourOf, type PlannedMember, plannedColourOf } from "../../panels/member-name.ts";
import type { Theme } from "../../theme/theme.ts";
import { rowText } from "./chrome-rows.ts";
import { isInRound } from "./format.ts";
import { isMoneyShort } from "./status-bar.ts";

export interface BoxRuleFacts {
  readonly theme: Theme;
  readonly transcript: Transcript | undefined;
  readonly connection: ConnectionState;
  readonly now: number;
  readonly recipients: Recipients;
  /** Answers below the visible rows. */
  readonly unseen: number;
  /** The key that goes to the newest row now. */
  readonly newestKey: string | undefined;
  /** The oldest request that is not open on the screen. */
  readonly request: OpenRequest | undefined;
  /** The key that opens it. */
  readonly inboxKey?: string | undefined;
  /** Requests that wait behind it. */
  readonly moreRequests?: number | undefined;
  /** Members of a session that does not exist yet. */
  readonly newMembers?: readonly PlannedMember[] | undefined;
  /** What runs was started by another screen. */
  readonly isElsewhere: boolean;
  /** A column has the focus, which Esc gives back. */
  readonly hasFocus?: boolean | undefined;
  /** The screen closes when all turns are done. */
  readonly isLeaving?: boolean | undefined;
}

/** The longest forms that fit beside each other; names go before facts. */
export function boxRule(facts: BoxRuleFacts, width: number): string {
  const { theme } = facts;
  const [full, counted, short] = recipientForms(facts);
  const [live, compact, key, shorter = live] = liveForms(facts);
  const pairs = [
    [full, live],
    [counted, live],
    [full, shorter],
    [counted, shorter],
    [counted, compact],
    [short, compact],
    [short, key],
    [short, ""],
  ] as const;
  const fits = ([left, right]: readonly [string, string]) => visibleWidth(left) + visibleWidth(right) + 8 <= width;
  const [left, right] = pairs.find(fits) ?? ["", ""];
  const line = (count: number) => theme.paint("faint", theme.glyph("rule").repeat(Math.max(0, count)));
  const before = left === "" ? line(1) : `${line(1)} ${left} `;
  const after = right === "" ? line(1) : ` ${right} ${line(1)}`;
  return before + line(width - visibleWidth(before) - visibleWidth(after)) + after;
}

function recipientForms({
  theme,
  transcript,
  recipients,
  newMembers = [],
}: BoxRuleFacts): readonly [string, string, string] {
  const quiet = (text: string) => theme.paint("quiet", text);
  const { isEveryone, names, working } = recipients;
  if (isEveryone) {
    const everyone = `${quiet("to")} everyone`;
    return [everyone, everyone, everyone];
  }
  const named = names.map((name) => memberName(theme, transcript?.head, name, newMembers)).join(`${quiet(",")} `);
  const during = working.length === 0 ? "" : ` ${quiet(`while ${whoWorks(recipients)}`)}`;
  const counted = names.length === 1 ? named : plural(names.length, "member");
  return [`${quiet("to")} ${named}${during}`, `${quiet("to")} ${counted}${during}`, `${quiet("to")} ${counted}`];
}

/** Some of those who get it may be done. */
function whoWorks({ names, working }: Recipients): string {
  if (working.length === names.length) return names.length === 1 ? "it works" : "they work";
  const [only = ""] = working;
  return working.length === 1 ? `${rowText(only)} works` : `${working.length} work`;
}

function memberName(theme: Theme, head: Head | undefined, name: string, planned: readonly PlannedMember[]): string {
  const colour = head === undefined ? plannedColourOf(planned, name) : colourOf(head, name);
  return theme.member(name, theme.decorate("bold", rowText(name)), colour);
}

/** A shorter form that still says the same, where there is one, comes last. */
type Forms = readonly [long: string, compact: string, key: string, shorter?: string];

function liveForms(facts: BoxRuleFacts): Forms {
  const { theme, transcript, connection, now, unseen, newestKey, request } = facts;
  const quiet = (text: string) => theme.paint("quiet", text);
  const dot = quiet(theme.glyph("dot"));
  const same = (text: string): Forms => [text, text, text];
  if (connection.state !== "online") {
    return same(`${withSpinner(theme, now)}${quiet(`reconnecting ${theme.glyph("dot")} your text is safe`)}`);
  }
  if (request !== undefined) return requestForms(request, facts);
  const head = transcript?.head;
  if (transcript !== undefined && isRunning(transcript.head)) return workingForms(transcript, facts);
  if (head?.council.state === "paused") {
    const goesOn = `${theme.glyph("held")} ${quiet("paused")} ${dot} /continue ${quiet("goes on")}`;
    const raises = isMoneyShort(head) ? ` ${dot} /budget ${quiet("raises it")}` : "";
    return [goesOn + raises, goesOn, goesOn];
  }
  if (unseen > 0) {
    const goes = newestKey === undefined ? "" : ` ${dot} ${newestKey} ${quiet("goes there")}`;
    return same(`${theme.glyph("down")} ${quiet(plural(unseen, "new answer"))}${goes}`);
  }
  return same(transcript === undefined ? "" : doneForm(transcript, theme));
}

function withSpinner(theme: Theme, now: number): string {
  const frame = theme.spinner(now);
  return frame === "" ? "" : `${frame} `;
}

function requestForms(request: OpenRequest, { theme, moreRequests: more = 0, inboxKey }: BoxRuleFacts): Forms {
  const quiet = (text: string) => theme.paint("quiet", text);
  const asks = theme.paint("ask", `${theme.glyph("needsYou")} ${rowText(request.member)} asks`);
  const what = rowText(describeRequest(request).what).slice(0, REQUEST_CHARS_MAX);
  const dot = quiet(theme.glyph("dot"));
  const waiting = more > 0 ? `${quiet(`${more} more waiting`)} ${dot} ` : "";
  const key = `${inboxKey ?? "/inbox"} ${quiet("answers")}`;
  const named = `${asks}${theme.paint("ask", ":")}`;
  // What is asked for stays longer than how many others wait.
  const cut = truncateToWidth(what, SHORT_REQUEST_COLUMNS, theme.glyph("more"));
  return [
    `${named} ${what} ${dot} ${waiting}${key}`,
    `${asks} ${dot} ${waiting}${key}`,
    asks,
    `${named} ${cut} ${dot} ${key}`,
  ];
}

const REQUEST_CHARS_MAX = 60;
const SHORT_REQUEST_COLUMNS = 28;

function workingForms(transcript: Transcript, facts: BoxRuleFacts): Forms {
  const { theme, now, unseen, isElsewhere, isLeaving = false, hasFocus = false } = facts;
  const { head } = transcript;
  const quiet = (text: string) => theme.paint("quiet", text);
  const turns = Object.values(head.openTurns).filter(({ depth }) => depth === 0);
  const names = [...new Set(turns.map(({ member }) => member))];
  const time = formatTurnTime(now - Math.min(now, ...turns.map(({ ts }) => ts)));
  const dot = theme.glyph("dot");
  const escape = isElsewhere ? "Esc Esc" : "Esc";
  const isOne = names.length === 1;
  // With a column in focus Esc stops nothing yet.
  const stops = (what: string) => (hasFocus ? "" : ` ${quiet(dot)} ${escape} ${quiet(what)}`);
  const below = unseen > 0 ? `${theme.glyph("down")} ${quiet(`${unseen} new ${dot}`)} ` : "";
  const failed = failedMembers(transcript).length;
  const failures =
    failed === 0 ? "" : `${theme.paint("bad", theme.glyph("failed"))} ${quiet(`${failed} failed ${dot}`)} `;
  const spinner = withSpinner(theme, now);
  // Without motion the word says what the spinner would.
  const who = isOne && failed === 0 ? rowText(names[0] ?? "") : `${names.length} working`;
  const custom = head.ui.working === undefined ? who : rowText(head.ui.working).slice(0, REQUEST_CHARS_MAX);
  const leaving = isLeaving ? ` ${dot} leaving when done` : "";
  return [
    `${failures}${below}${spinner}${quiet(`${custom} ${dot} ${time}${leaving}`)}${stops(isOne ? "stops it" : "stops all")}`,
    `${below}${spinner}${quiet(`${isOne ? rowText(names[0] ?? "") : names.length} ${dot} ${time}`)}${stops("stops")}`,
    hasFocus ? spinner.trimEnd() : `${escape} ${quiet("stops")}`,
  ];
}

/** "everyone is done · 1:42", when all who were asked have answered. */
function doneForm(transcript: Transcript, theme: Theme): string {
  const { head } = transcript;
  const { activeMs } = head.spent.message;
  const members = membersInOrder(head).filter(({ muted }) => !muted);
  const isDone = members.length > 1 && members.every(({ lastOutcome }) => lastOutcome === "completed");
  if (!isDone || activeMs < 1000 || !isInRound(transcript)) return "";
  const time = `${theme.glyph("dot")} ${formatTurnTime(activeMs)}`;
  return `${theme.paint("ok", theme.glyph("ok"))} ${theme.paint("quiet", `everyone is done ${time}`)}`;
}
