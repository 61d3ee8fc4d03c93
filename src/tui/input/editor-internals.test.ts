import { Editor } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { openTestScreen } from "../../../test/tui/in-process-terminal.ts";
import { createTheme } from "../theme/create-theme.ts";
import { internalsOf, type EditorInternals } from "./editor-internals.ts";
import { editorTheme } from "./prompt-editor.ts";

test("the library's editor still has everything that the box uses of its inside", () => {
  const screen = openTestScreen({ render: () => [], invalidate: () => {} });
  const inside = internalsOf(new Editor(screen.tui, editorTheme(createTheme({ name: "none", depth: "none" }))));
  screen.close();
  const methods: readonly (keyof EditorInternals)[] = [
    "segment",
    "normalizeText",
    "submitValue",
    "getAutocompleteDebounceMs",
    "startAutocompleteRequest",
    "isOnFirstVisualLine",
    "isOnLastVisualLine",
    "moveToLineStart",
    "moveToLineEnd",
    "setTextInternal",
    "setCursorCol",
    "insertCharacter",
    "addNewLine",
    "handleBackspace",
    "cancelAutocomplete",
    "applyAutocompleteSuggestions",
    "tryTriggerAutocomplete",
    "handleTabCompletion",
  ];
  expect(methods.filter((name) => typeof inside[name] !== "function")).toEqual([]);
  expect({
    state: inside.state,
    jumpMode: inside.jumpMode,
    token: inside.autocompleteStartToken,
    rows: inside.autocompleteMaxVisible,
    list: inside.autocompleteList,
    undo: inside.undoStack.stack,
    hasTheme: "theme" in inside,
  }).toEqual({
    state: { lines: [""], cursorLine: 0, cursorCol: 0 },
    jumpMode: null,
    token: 0,
    rows: 5,
    list: undefined,
    undo: [],
    hasTheme: true,
  });
});
