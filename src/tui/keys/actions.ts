/**
 * All key actions: their names in the keys file, default keys, and description on the keys page. `library` names the
 * bindings of the terminal library that follow the same keys.
 */
import type { Keybinding, KeyId } from "@earendil-works/pi-tui";

export interface ActionDefinition {
  readonly keys: readonly KeyId[];
  readonly does: string;
  readonly library?: readonly Keybinding[];
  /** Active only while the box is empty, so that a character can be its key. */
  readonly isForEmptyBox?: boolean;
  /** Actions that may share a key because they are never active at the same time. */
  readonly sharesWith?: readonly string[];
}

function action(keys: readonly KeyId[], does: string, more: Omit<ActionDefinition, "keys" | "does"> = {}) {
  return { keys, does, ...more } satisfies ActionDefinition;
}

const DEFINITIONS = {
  send: action(["enter"], "send; with an empty box, send what is held", {
    library: ["tui.input.submit"],
    sharesWith: ["list-confirm"],
  }),
  newline: action(["shift+enter", "alt+enter", "ctrl+j"], "new line (also \\ and Enter)", {
    library: ["tui.input.newLine"],
  }),
  queue: action(["tab"], "queue the message while members work", { sharesWith: ["complete"] }),
  complete: action(["tab"], "complete a member, a file or a command", { library: ["tui.input.tab"] }),
  "pull-back": action(["alt+up"], "edit the last queued message"),
  interrupt: action(["escape"], "close what is open, or stop your work; twice: rewind", {
    sharesWith: ["list-cancel"],
  }),
  "interrupt-all": action([], "stop everyone"),
  "clear-or-quit": action(["ctrl+c"], "clear the box, or stop your work; twice: leave", {
    library: ["tui.input.copy"],
    sharesWith: ["list-cancel"],
  }),
  "quit-on-empty": action(["ctrl+d"], "leave, with an empty box", {
    isForEmptyBox: true,
    sharesWith: ["delete-forward"],
  }),
  suspend: action(["ctrl+z"], "suspend; fg brings it back"),
  help: action(["?"], "keys, with an empty box", { isForEmptyBox: true }),
  "question-1": action(["1"], "on the first screen: insert question 1", { isForEmptyBox: true }),
  "question-2": action(["2"], "on the first screen: insert question 2", {
    isForEmptyBox: true,
  }),
  "question-3": action(["3"], "on the first screen: insert question 3", { isForEmptyBox: true }),
  "history-search": action(["ctrl+r"], "search your earlier messages; again: older"),
  stash: action(["ctrl+s"], "stash the draft; again: bring it back"),
  "external-editor": action(["ctrl+g"], "write in your editor"),
  recipients: action(["shift+tab"], "change who gets what you type"),
  mode: action(["alt+s"], "ask members all at once, or one by one"),
  "expand-tools": action(["ctrl+o"], "show tool output in full, or fold it"),
  thinking: action(["ctrl+t"], "show, fold or hide thinking"),
  inbox: action(["alt+i"], "answer the waiting request; again: all requests"),
  members: action(["alt+a"], "members"),
  sessions: action(["ctrl+l"], "sessions, those that need you first"),
  redraw: action(["f5"], "redraw the screen"),
  "page-up": action(["pageUp"], "scroll up a page", { sharesWith: ["list-page-up"] }),
  "page-down": action(["pageDown"], "scroll down a page", { sharesWith: ["list-page-down"] }),
  "log-start": action(["ctrl+home"], "go to the beginning"),
  "log-end": action(["ctrl+end"], "go to the end and follow it"),
  "log-start-on-empty": action(["home"], "go to the beginning, with an empty box", {
    isForEmptyBox: true,
    sharesWith: ["line-start"],
  }),
  "log-end-on-empty": action(["end"], "go to the end, with an empty box", {
    isForEmptyBox: true,
    sharesWith: ["line-end"],
  }),
  "previous-user-message": action(["ctrl+shift+up"], "go to your previous message"),
  "next-user-message": action(["ctrl+shift+down"], "go to your next message"),
  "select-previous": action(["shift+up"], "select the previous message"),
  "select-next": action(["shift+down"], "select the next message"),
  "toggle-selected": action(["alt+o"], "unfold or fold the selected message"),
  "copy-message": action(["alt+m"], "copy the selected or last message as Markdown"),
  "copy-code": action(["alt+c"], "copy its last code block"),
  search: action(["alt+/", "ctrl+shift+f"], "search this session"),
  "search-next": action(["f3", "alt+."], "next match"),
  "search-previous": action(["f2", "alt+,"], "previous match"),
  "previous-answer": action(["ctrl+up"], "go to the previous answer"),
  "next-answer": action(["ctrl+down"], "go to the next answer"),
  "focus-next": action(["tab"], "choose a member, with an empty box; Esc goes back", {
    isForEmptyBox: true,
    sharesWith: ["queue", "complete"],
  }),
  "focus-left": action(["left"], "with a member chosen: previous member", {
    isForEmptyBox: true,
    sharesWith: ["cursor-left"],
  }),
  "focus-right": action(["right"], "with a member chosen: next member", {
    isForEmptyBox: true,
    sharesWith: ["cursor-right"],
  }),
  "focus-up": action(["up"], "with a member chosen: scroll it up", {
    isForEmptyBox: true,
    sharesWith: ["cursor-up", "list-up"],
  }),
  "focus-down": action(["down"], "with a member chosen: scroll it down", {
    isForEmptyBox: true,
    sharesWith: ["cursor-down", "list-down"],
  }),
  widen: action(["enter"], "with a member chosen: widen it, or back", {
    isForEmptyBox: true,
    sharesWith: ["send", "list-confirm"],
  }),
  "open-work": action(["o"], "with a member chosen: open its work, then a file in $EDITOR", {
    isForEmptyBox: true,
  }),
  "copy-focused": action(["y"], "with a member chosen: copy its answer", { isForEmptyBox: true }),
  "retry-focused": action(["r"], "with a member chosen: ask it again", { isForEmptyBox: true }),
  "go-on-without": action(["g"], "on a failure: go on without the member", { isForEmptyBox: true }),
  "show-stderr": action(["v"], "on a failure: show the full output of its program", { isForEmptyBox: true }),
  "retry-later": action(["w"], "on a failure: ask again when the quota resets", { isForEmptyBox: true }),
  "hand-over": action(["h"], "on a failure: hand over to another member", { isForEmptyBox: true }),

  "cursor-up": action(["up", "ctrl+p"], "up; on the first line, your previous message", {
    library: ["tui.editor.cursorUp"],
    sharesWith: ["list-up"],
  }),
  "cursor-down": action(["down", "ctrl+n"], "down; on the last line, your next message", {
    library: ["tui.editor.cursorDown"],
    sharesWith: ["list-down"],
  }),
  "cursor-left": action(["left", "ctrl+b"], "left", { library: ["tui.editor.cursorLeft"] }),
  "cursor-right": action(["right", "ctrl+f"], "right", { library: ["tui.editor.cursorRight"] }),
  "word-left": action(["alt+left", "ctrl+left", "alt+b"], "one word left", { library: ["tui.editor.cursorWordLeft"] }),
  "word-right": action(["alt+right", "ctrl+right", "alt+f"], "one word right", {
    library: ["tui.editor.cursorWordRight"],
  }),
  "line-start": action(["home", "ctrl+a"], "start of the line", { library: ["tui.editor.cursorLineStart"] }),
  "line-end": action(["end", "ctrl+e"], "end of the line", { library: ["tui.editor.cursorLineEnd"] }),
  "box-page-up": action(["ctrl+pageUp"], "one page up in the box", { library: ["tui.editor.pageUp"] }),
  "box-page-down": action(["ctrl+pageDown"], "one page down in the box", { library: ["tui.editor.pageDown"] }),
  "jump-forward": action(["ctrl+]"], "jump to the next character you type", { library: ["tui.editor.jumpForward"] }),
  "jump-backward": action(["ctrl+alt+]"], "jump back to the character you type", {
    library: ["tui.editor.jumpBackward"],
  }),
  "delete-backward": action(["backspace"], "delete backward", { library: ["tui.editor.deleteCharBackward"] }),
  "delete-forward": action(["delete", "ctrl+d"], "delete forward", { library: ["tui.editor.deleteCharForward"] }),
  "delete-word-backward": action(["ctrl+w", "alt+backspace"], "cut the previous word", {
    library: ["tui.editor.deleteWordBackward"],
  }),
  "delete-word-forward": action(["alt+d", "alt+delete"], "cut the next word", {
    library: ["tui.editor.deleteWordForward"],
  }),
  "delete-to-line-start": action(["ctrl+u"], "cut to the start of the line", {
    library: ["tui.editor.deleteToLineStart"],
  }),
  "delete-to-line-end": action(["ctrl+k"], "cut to the end of the line", { library: ["tui.editor.deleteToLineEnd"] }),
  yank: action(["ctrl+y"], "paste what was cut", { library: ["tui.editor.yank"] }),
  "yank-older": action(["alt+y"], "paste an earlier cut instead", { library: ["tui.editor.yankPop"] }),
  undo: action(["ctrl+-", "ctrl+_", "ctrl+shift+-"], "undo", { library: ["tui.editor.undo"] }),

  "list-up": action(["up", "ctrl+p"], "in a list: up", { library: ["tui.select.up"] }),
  "list-down": action(["down", "ctrl+n"], "in a list: down", { library: ["tui.select.down"] }),
  "list-page-up": action(["pageUp"], "in a list: one page up", { library: ["tui.select.pageUp"] }),
  "list-page-down": action(["pageDown"], "in a list: one page down", { library: ["tui.select.pageDown"] }),
  "list-confirm": action(["enter"], "in a list: choose", { library: ["tui.select.confirm"] }),
  "list-cancel": action(["escape", "ctrl+c"], "in a list: cancel", { library: ["tui.select.cancel"] }),
} as const;

export type ActionName = keyof typeof DEFINITIONS;

export const ACTIONS: Readonly<Record<ActionName, ActionDefinition>> = DEFINITIONS;

export const ACTION_NAMES: readonly ActionName[] = Object.keys(DEFINITIONS) as ActionName[];

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(DEFINITIONS, name);
}

export function mayShareKey(one: ActionName, other: ActionName): boolean {
  return (ACTIONS[one].sharesWith ?? []).includes(other) || (ACTIONS[other].sharesWith ?? []).includes(one);
}
