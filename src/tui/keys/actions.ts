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
  send: action(["enter"], "send; in an empty box, what is held", {
    library: ["tui.input.submit"],
    sharesWith: ["list-confirm"],
  }),
  newline: action(["shift+enter", "alt+enter", "ctrl+j"], "new line (also \\ and Enter)", {
    library: ["tui.input.newLine"],
  }),
  queue: action(["tab"], "while members run: queue the text for afterwards", { sharesWith: ["complete"] }),
  complete: action(["tab"], "complete a member, a file or a command", { library: ["tui.input.tab"] }),
  "pull-back": action(["alt+up"], "take the last queued message back into the box"),
  interrupt: action(["escape"], "close what is open, else interrupt what you started; twice: go back", {
    sharesWith: ["list-cancel"],
  }),
  "interrupt-all": action([], "interrupt every member"),
  "clear-or-quit": action(["ctrl+c"], "clear the box into the history, else interrupt, again to quit", {
    library: ["tui.input.copy"],
    sharesWith: ["list-cancel"],
  }),
  "quit-on-empty": action(["ctrl+d"], "quit, when the box is empty", {
    isForEmptyBox: true,
    sharesWith: ["delete-forward"],
  }),
  suspend: action(["ctrl+z"], "suspend; fg brings it back"),
  help: action(["?"], "this page, when the box is empty", { isForEmptyBox: true }),
  "question-1": action(["1"], "before the first message: put the first question into the box", { isForEmptyBox: true }),
  "question-2": action(["2"], "before the first message: put the second question into the box", {
    isForEmptyBox: true,
  }),
  "question-3": action(["3"], "before the first message: put the third question into the box", { isForEmptyBox: true }),
  "history-search": action(["ctrl+r"], "search what you wrote before; again for older"),
  stash: action(["ctrl+s"], "put the draft aside; again brings it back"),
  "external-editor": action(["ctrl+g"], "write in your editor"),
  recipients: action(["shift+tab"], "who gets what you type: those working, everyone, each"),
  mode: action(["alt+s"], "members at once, or one by one"),
  "expand-tools": action(["ctrl+o"], "tool output in full or short"),
  thinking: action(["ctrl+t"], "thinking dim, folded or hidden"),
  inbox: action(["alt+i"], "answer the request that waits; again: all requests"),
  members: action(["alt+a"], "who sits at the table"),
  sessions: action(["ctrl+l"], "all sessions: those that need you first"),
  redraw: action(["f5"], "draw the screen again"),
  "page-up": action(["pageUp"], "one page back", { sharesWith: ["list-page-up"] }),
  "page-down": action(["pageDown"], "one page forward", { sharesWith: ["list-page-down"] }),
  "log-start": action(["ctrl+home"], "to the beginning"),
  "log-end": action(["ctrl+end"], "to the end, and follow"),
  "log-start-on-empty": action(["home"], "to the beginning, when the box is empty", {
    isForEmptyBox: true,
    sharesWith: ["line-start"],
  }),
  "log-end-on-empty": action(["end"], "to the end, when the box is empty", {
    isForEmptyBox: true,
    sharesWith: ["line-end"],
  }),
  "previous-user-message": action(["ctrl+shift+up"], "to your previous message"),
  "next-user-message": action(["ctrl+shift+down"], "to your next message"),
  "select-previous": action(["shift+up"], "mark the message before"),
  "select-next": action(["shift+down"], "mark the next message"),
  "toggle-selected": action(["alt+o"], "open or close the marked message"),
  "copy-message": action(["alt+m"], "copy the marked or last message as it was written"),
  "copy-code": action(["alt+c"], "copy its last code block"),
  search: action(["alt+/", "ctrl+shift+f"], "search in the session"),
  "search-next": action(["f3", "alt+."], "next match"),
  "search-previous": action(["f2", "alt+,"], "match before"),
  "previous-answer": action(["ctrl+up"], "to the previous answer"),
  "next-answer": action(["ctrl+down"], "to the next answer"),
  "focus-next": action(["tab"], "choose a member, when the box is empty; Esc goes back", {
    isForEmptyBox: true,
    sharesWith: ["queue", "complete"],
  }),
  "focus-left": action(["left"], "with a member chosen: the one before", {
    isForEmptyBox: true,
    sharesWith: ["cursor-left"],
  }),
  "focus-right": action(["right"], "with a member chosen: the next one", {
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
  widen: action(["enter"], "with a member chosen: widen it, and back", {
    isForEmptyBox: true,
    sharesWith: ["send", "list-confirm"],
  }),
  "open-work": action(["o"], "with a member chosen: open its work, then a file it names in $EDITOR", {
    isForEmptyBox: true,
  }),
  "copy-focused": action(["y"], "with a member chosen: copy its answer", { isForEmptyBox: true }),
  "retry-focused": action(["r"], "with a member chosen: ask it again", { isForEmptyBox: true }),
  "go-on-without": action(["g"], "on a failure: go on without the member", { isForEmptyBox: true }),
  "show-stderr": action(["v"], "on a failure: show all that its program printed", { isForEmptyBox: true }),
  "retry-later": action(["w"], "on a failure: ask again when the quota resets", { isForEmptyBox: true }),
  "hand-over": action(["h"], "on a failure: hand over to another member", { isForEmptyBox: true }),

  "cursor-up": action(["up", "ctrl+p"], "up; on the first line, what you wrote before", {
    library: ["tui.editor.cursorUp"],
    sharesWith: ["list-up"],
  }),
  "cursor-down": action(["down", "ctrl+n"], "down; on the last line, what you wrote after", {
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
  "jump-forward": action(["ctrl+]"], "to the next character you type", { library: ["tui.editor.jumpForward"] }),
  "jump-backward": action(["ctrl+alt+]"], "back to the character you type", { library: ["tui.editor.jumpBackward"] }),
  "delete-backward": action(["backspace"], "delete backward", { library: ["tui.editor.deleteCharBackward"] }),
  "delete-forward": action(["delete", "ctrl+d"], "delete forward", { library: ["tui.editor.deleteCharForward"] }),
  "delete-word-backward": action(["ctrl+w", "alt+backspace"], "cut the word before", {
    library: ["tui.editor.deleteWordBackward"],
  }),
  "delete-word-forward": action(["alt+d", "alt+delete"], "cut the word after", {
    library: ["tui.editor.deleteWordForward"],
  }),
  "delete-to-line-start": action(["ctrl+u"], "cut to the start of the line", {
    library: ["tui.editor.deleteToLineStart"],
  }),
  "delete-to-line-end": action(["ctrl+k"], "cut to the end of the line", { library: ["tui.editor.deleteToLineEnd"] }),
  yank: action(["ctrl+y"], "put back what was cut", { library: ["tui.editor.yank"] }),
  "yank-older": action(["alt+y"], "instead of it, what was cut before", { library: ["tui.editor.yankPop"] }),
  undo: action(["ctrl+-", "ctrl+_", "ctrl+shift+-"], "undo", { library: ["tui.editor.undo"] }),

  "list-up": action(["up", "ctrl+p"], "in a list: up", { library: ["tui.select.up"] }),
  "list-down": action(["down", "ctrl+n"], "in a list: down", { library: ["tui.select.down"] }),
  "list-page-up": action(["pageUp"], "in a list: one page up", { library: ["tui.select.pageUp"] }),
  "list-page-down": action(["pageDown"], "in a list: one page down", { library: ["tui.select.pageDown"] }),
  "list-confirm": action(["enter"], "in a list: take it", { library: ["tui.select.confirm"] }),
  "list-cancel": action(["escape", "ctrl+c"], "in a list: leave it", { library: ["tui.select.cancel"] }),
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
