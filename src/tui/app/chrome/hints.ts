/** The last row: keys that fit the state. */
import { visibleWidth } from "@earendil-works/pi-tui";
import type { ConnectionState } from "../../../client/index.ts";
import {
  contextMeter,
  isRunning,
  membersInOrder,
  type OpenRequest,
  type Transcript,
} from "../../../transcript/index.ts";
import type { CompletionMenu } from "../../input/completion-menu.ts";
import type { ActionName } from "../../keys/actions.ts";
import type { FailureKey } from "../../panels/failure-keys.ts";
import type { Arrangement } from "../../panels/panel.ts";
import type { Theme } from "../../theme/theme.ts";
import { rowText } from "./chrome-rows.ts";
import { CONTEXT_MIN, isMoneyShort } from "./status-bar.ts";

export interface HintFacts {
  readonly theme: Theme;
  readonly transcript: Transcript | undefined;
  readonly connection: ConnectionState;
  readonly hasDraft: boolean;
  /** The draft is a command of ours or of the shell, which goes to nobody. */
  readonly isCommand?: boolean | undefined;
  /** The list of completions above the box. */
  readonly menu?: Pick<CompletionMenu, "kind" | "total"> | undefined;
  readonly isFollowing: boolean;
  readonly view: Arrangement;
  /** A column or a panel has the focus. */
  readonly hasFocus: boolean;
  /** The focused turn has taken the room of those beside it; undefined where it has none to take. */
  readonly isWide?: boolean | undefined;
  /** The work of the focused turn is unfolded. */
  readonly isWorkOpen?: boolean | undefined;
  /** The failed turn that has the focus, and its keys. */
  readonly failure?: { readonly member: string; readonly keys: readonly FailureKey[] } | undefined;
  /** The focused turn is over and may be asked again. */
  readonly canRetry?: boolean | undefined;
  /** A member that has failed, while nothing has the focus. */
  readonly failedMember?: string | undefined;
  /** The session does not exist yet. */
  readonly isNew: boolean;
  readonly request: OpenRequest | undefined;
  /** "to everyone", "to codex only": what the key that changes it would choose. */
  readonly nextRecipient: string | undefined;
  /** The key of an action as the user has set it. */
  readonly keyOf: (action: ActionName) => string | undefined;
}

/** A key's action or a key that cannot be changed, and what it does. */
type Hint = readonly [key: ActionName | { readonly fixed: string }, does: string];

export function hintRow(facts: HintFacts, width: number): string {
  const { theme } = facts;
  const separator = theme.paint("faint", ` ${theme.glyph("dot")} `);
  const fits = (labels: readonly string[]) => visibleWidth(labels.join(separator)) + 2 <= width;
  const isSpelled = fits(labelsOf(facts, [...failureHints(facts), BACK]));
  const shown = labelsOf(facts, hintsOf(facts, isSpelled));
  // The last one says where all keys are: it goes last.
  while (shown.length > 1 && !fits(shown)) shown.splice(-2, 1);
  return ` ${shown.join(separator)}`;
}

function labelsOf({ theme, keyOf }: HintFacts, hints: readonly Hint[]): string[] {
  return hints.flatMap(([key, does]) => {
    const label = typeof key === "string" ? keyOf(key) : key.fixed;
    return label === undefined || label === ""
      ? []
      : [`${theme.paint("key", label)} ${theme.paint("quiet", does)}`.trimEnd()];
  });
}

const BACK: Hint = ["interrupt", "back to the box"];

function menuHints({ kind, total }: NonNullable<HintFacts["menu"]>): Hint[] {
  const isCommands = kind === "commands";
  return [
    ["list-confirm", isCommands ? "run" : "use it"],
    ["complete", "complete"],
    [{ fixed: "↑ ↓" }, "move"],
    ...(isCommands ? [[{ fixed: "type" }, `to filter all ${total}`] as const] : []),
    [{ fixed: "Esc" }, "close"],
  ];
}

function hintsOf(facts: HintFacts, isSpelled: boolean): Hint[] {
  const { transcript, connection, hasDraft, isFollowing, request, nextRecipient } = facts;
  const change: Hint[] = nextRecipient === undefined ? [] : [["recipients", nextRecipient]];
  const keys: Hint = ["help", "keys"];
  if (facts.menu !== undefined) return menuHints(facts.menu);
  if (connection.state !== "online") {
    return [
      ["send", "send when connected"],
      ["quit-on-empty", "leave"],
    ];
  }
  if (facts.isCommand === true) {
    return [
      ["send", "run"],
      ["clear-or-quit", "clear"],
    ];
  }
  const head = transcript?.head;
  const isBusy = head !== undefined && isRunning(head);
  if (request !== undefined) {
    const answer: Hint = ["inbox", `answer ${rowText(request.member)}`];
    return [
      ["send", "send"],
      answer,
      ...(isBusy ? [["queue", "queue"] as const] : []),
      ["recipients", "change who gets it"],
    ];
  }
  if (facts.hasFocus && !hasDraft) return focusHints(facts, isSpelled);
  if (!isFollowing && !hasDraft) {
    return [
      ["log-end-on-empty", "newest"],
      [{ fixed: "PgUp PgDn" }, "scroll"],
      [pair(facts, "next-answer", "previous-answer"), "next, previous answer"],
      ["search", "search"],
    ];
  }
  if (isBusy && hasDraft) {
    return [["send", "send now"], ["queue", "queue for afterwards"], ...change, ["newline", "new line"]];
  }
  if (isBusy) return busyHints(facts, (head?.queue.length ?? 0) > 0);
  if (hasDraft) return [["send", "send"], ...change, ["clear-or-quit", "clear"], ["newline", "new line"]];
  const short = head === undefined ? undefined : membersInOrder(head).find(({ name }) => isShort(head, name));
  const { failedMember: failed } = facts;
  return [
    ...(failed === undefined ? [] : [["focus-next", `keys for ${rowText(failed)}`] as const]),
    ...(short === undefined ? [] : [[{ fixed: "/compact" }, rowText(short.name)] as const]),
    ...(head !== undefined && isMoneyShort(head) ? [[{ fixed: "/budget" }, "raise it"] as const] : []),
    ["send", "send"],
    ["newline", "new line"],
    ...(head !== undefined && hasUnguarded(head)
      ? [[{ fixed: "/doctor" }, "how to install a sandbox"] as const]
      : [[{ fixed: "@" }, "one member or a file"] as const]),
    [{ fixed: "/" }, "commands"],
    ...(facts.isNew ? [] : [["sessions", "sessions"] as const]),
    keys,
  ];
}

function hasUnguarded(head: Transcript["head"]): boolean {
  return membersInOrder(head).some(({ guard }) => guard?.kind === "unguarded");
}

/** Little of its context is left. */
function isShort(head: Transcript["head"], name: string): boolean {
  const meter = contextMeter(head, name);
  return meter !== undefined && 1 - meter.fraction < CONTEXT_MIN;
}

function busyHints({ view }: HintFacts, isQueued: boolean): Hint[] {
  const send: Hint = ["send", "send to those working"];
  const keys: Hint = ["help", "keys"];
  if (view === "focus") return [[{ fixed: "← →" }, "other member"], send, ["expand-tools", "open work"], keys];
  const choose: Hint = ["focus-next", view === "columns" ? "choose a column" : "choose a member"];
  if (isQueued) return [["send", "send now"], choose, ["pull-back", "edit what is queued"], keys];
  return [send, choose, ["expand-tools", "open work"], ["page-up", "scroll"], keys];
}

/** What the keys of the failed turn do; its member is named above the box. */
function failureHints({ failure }: HintFacts): Hint[] {
  return failure?.keys.map(({ action, short }) => [action, short] as const) ?? [];
}

function focusHints(facts: HintFacts, isSpelled: boolean): Hint[] {
  const { failure, keyOf } = facts;
  if (failure !== undefined && failure.keys.length > 0) {
    const keys = failure.keys.flatMap(({ action }) => keyOf(action) ?? []).join(" ");
    return [
      ...(isSpelled ? failureHints(facts) : [[{ fixed: keys }, `on ${rowText(failure.member)}`] as const]),
      ["focus-next", "next member"],
      [{ fixed: "/doctor" }, "check every agent"],
      BACK,
    ];
  }
  return [
    [pair(facts, "focus-left", "focus-right"), facts.view === "columns" ? "other column" : "other member"],
    ...(facts.isWide === undefined ? [] : [["widen", facts.isWide ? "narrow" : "widen"] as const]),
    [pair(facts, "focus-up", "focus-down"), "scroll it"],
    ["open-work", facts.isWorkOpen === true ? "open a file" : "open work"],
    ["copy-focused", "copy"],
    ...(facts.canRetry === true ? [["retry-focused", "retry"] as const] : []),
    BACK,
  ];
}

/** Two keys with the same modifiers in one: `Ctrl+↓ ↑`. */
function pair({ keyOf }: HintFacts, one: ActionName, other: ActionName): { readonly fixed: string } {
  const [first = "", second = ""] = [keyOf(one), keyOf(other)];
  return { fixed: `${first} ${second.slice(second.lastIndexOf("+") + 1)}`.trim() };
}
