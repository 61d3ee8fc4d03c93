import { isKittyProtocolActive, setKittyProtocolActive, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { afterEach, expect, test } from "vitest";
import { ACTION_NAMES, type ActionName } from "./actions.ts";
import { createKeymap } from "./keymap.ts";
import { libraryBindings } from "./keymap.ts";

const keymap = createKeymap();

afterEach(() => setKittyProtocolActive(false));

/** What each key of the conventions means, in every form that terminals send. */
const SENT: readonly (readonly [action: ActionName, forms: readonly string[]])[] = [
  ["send", ["\r", "\u001b[13u", "\u001b[57414u"]],
  [
    "newline",
    ["\u001b[13;2u", "\u001b[13;3u", "\u001b[27;2;13~", "\u001b[27;5;106~", "\u001b[106;5u", "\u001b\r", "\n"],
  ],
  ["queue", ["\t", "\u001b[9u"]],
  ["pull-back", ["\u001b[1;3A", "\u001bp"]],
  ["interrupt", ["\u001b", "\u001b[27u"]],
  ["clear-or-quit", ["\u0003", "\u001b[99;5u", "\u001b[27;5;99~", "\u001b[1089::99;5u"]],
  ["quit-on-empty", ["\u0004", "\u001b[100;5u"]],
  ["suspend", ["\u001a", "\u001b[122;5u"]],
  ["help", ["?", "\u001b[47:63;2u", "\u001b[27;2;63~"]],
  ["expand-tools", ["\u000f", "\u001b[111;5u"]],
  ["thinking", ["\u0014"]],
  ["history-search", ["\u0012"]],
  ["external-editor", ["\u0007"]],
  ["recipients", ["\u001b[Z", "\u001b[9;2u"]],
  ["page-up", ["\u001b[5~"]],
  ["page-down", ["\u001b[6~"]],
  ["log-start", ["\u001b[1;5H", "\u001b[7^"]],
  ["log-end", ["\u001b[1;5F", "\u001b[8^"]],
  ["log-start-on-empty", ["\u001b[H", "\u001bOH", "\u001b[1~"]],
  ["log-end-on-empty", ["\u001b[F", "\u001bOF", "\u001b[4~"]],
  ["previous-answer", ["\u001b[1;5A"]],
  ["next-answer", ["\u001b[1;5B"]],
  ["previous-user-message", ["\u001b[1;6A"]],
  ["next-user-message", ["\u001b[1;6B"]],
  ["select-previous", ["\u001b[1;2A"]],
  ["select-next", ["\u001b[1;2B"]],
  ["sessions", ["\u000c"]],
  ["redraw", ["\u001b[15~"]],
  ["stash", ["\u0013"]],
];

test.each(SENT)("%s is known in every form that terminals send", (action, forms) => {
  const unknown = forms.filter((data) => {
    // These two mean something else once the terminal has said that it speaks the newer protocol.
    setKittyProtocolActive(data.endsWith("u"));
    return !keymap.matches(data, action);
  });
  expect(unknown).toEqual([]);
});

test("a line feed is Ctrl+J and never Enter", () => {
  expect(isKittyProtocolActive()).toBe(false);
  expect(ACTION_NAMES.filter((action) => keymap.matches("\n", action))).toEqual(["newline"]);
});

test("the keys page has a line for every action with a key, and none for one without", () => {
  const page = createKeymap({ suspend: [] }).describe();
  expect(page.slice(0, 3)).toEqual([
    { keys: "Enter", does: "send; with an empty box, send what is held" },
    { keys: "Shift+Enter, Alt+Enter, Ctrl+J", does: "new line (also \\ and Enter)" },
    { keys: "Tab", does: "queue the message while members work" },
  ]);
  expect(page.filter(({ does }) => does.startsWith("suspend"))).toEqual([]);
  expect(page.find(({ does }) => does === "undo")).toEqual({ keys: "Ctrl+-", does: "undo" });
  expect([keymap.hint("expand-tools"), keymap.hint("interrupt-all")]).toEqual(["Ctrl+O", undefined]);
});

test("the library gets our keys, and none of its own for scrolling and searching", () => {
  const bindings = libraryBindings(createKeymap({ undo: ["alt+u"], yank: [] }));
  expect(Object.keys(bindings).filter((name) => !(name in TUI_KEYBINDINGS))).toEqual([]);
  expect({
    undo: bindings["tui.editor.undo"],
    yank: bindings["tui.editor.yank"],
    top: bindings["tui.altScreen.top"],
    search: bindings["tui.altScreen.search"],
  }).toEqual({ undo: ["alt+u"], yank: [], top: [], search: [] });
});
