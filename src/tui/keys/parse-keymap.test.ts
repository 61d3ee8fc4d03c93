import { expect, test } from "vitest";
import { ACTION_NAMES, ACTIONS } from "./actions.ts";
import { createKeymap } from "./keymap.ts";
import { KEYS_FILE_CHARS_MAX, parseKeymap } from "./parse-keymap.ts";

const defaults = createKeymap();

test("a keys file with comments maps an action to a key or a list; the others keep theirs", () => {
  const { keymap, problems } = parseKeymap(`{
    // my keys
    "$schema": "x",
    "search": "Ctrl+X",
    "copy-code": ["Alt+Shift+C", "f9"],
  }`);
  expect(problems).toEqual([]);
  expect([keymap.keysOf("search"), keymap.keysOf("copy-code"), keymap.keysOf("send")]).toEqual([
    ["ctrl+x"],
    ["shift+alt+c", "f9"],
    ["enter"],
  ]);
});

test.each(["[]", '"none"', "null"])("%s switches an action off", (value) => {
  const { keymap, problems } = parseKeymap(`{ "suspend": ${value} }`);
  expect({ problems, keys: keymap.keysOf("suspend"), matches: keymap.matches("\u001a", "suspend") }).toEqual({
    problems: [],
    keys: [],
    matches: false,
  });
});

test.each([
  ["an unknown action names the nearest", '{ "sned": "ctrl+x" }', ['unknown action "sned". Did you mean "send"?']],
  [
    "an unknown key says what is accepted",
    '{ "search": "hyper+q" }',
    [expect.stringMatching(/^"search": no such key "hyper\+q": "hyper" is not a modifier\. Accepted: ctrl\+, .*f12/)],
  ],
  [
    "a key that is not one says so",
    '{ "search": "ctrl+banana" }',
    [expect.stringContaining('no such key "ctrl+banana": "banana" is not a key')],
  ],
  [
    "a character that is needed for writing is refused",
    '{ "search": "x" }',
    ['"search": "x" is needed for writing; add ctrl+ or alt+'],
  ],
  ["a value of another kind is named", '{ "search": 7 }', ['"search" takes a key, a list of keys or "none", found 7']],
  [
    "broken JSON says where",
    '{\n "search": }',
    ["the keys file is not valid JSON at line 2, column 12 (ValueExpected); it is ignored"],
  ],
  ["another thing than an object", "[]", ['the keys file must be an object like { "send": "enter" }, found array']],
])("%s, and the keys are the usual ones", (_name, text, problems) => {
  const parsed = parseKeymap(text);
  expect(parsed.problems).toEqual(problems);
  expect(ACTION_NAMES.map((action) => parsed.keymap.keysOf(action))).toEqual(
    ACTION_NAMES.map((action) => defaults.keysOf(action)),
  );
});

test("one wrong entry costs only itself", () => {
  const { keymap, problems } = parseKeymap('{ "search": ["ctrl+x", "what"], "mute": "a", "redraw": "f6" }');
  expect({ problems: problems.length, search: keymap.keysOf("search"), redraw: keymap.keysOf("redraw") }).toEqual({
    problems: 2,
    search: ["ctrl+x"],
    redraw: ["f6"],
  });
});

test("a key given to two actions stays with the first, and both are named", () => {
  const { keymap, problems } = parseKeymap('{ "search": "ctrl+x", "inbox": ["ctrl+x", "f9"] }');
  expect(problems).toEqual(['"ctrl+x" is bound to both "search" and "inbox"; "search" keeps it']);
  expect([keymap.keysOf("search"), keymap.keysOf("inbox")]).toEqual([["ctrl+x"], ["f9"]]);
});

test("a key is taken from the action that had it by default, which is named with what it has left", () => {
  const { keymap, problems } = parseKeymap('{ "inbox": ["ctrl+o", "alt+/"] }');
  expect(problems).toEqual([
    'Ctrl+O no longer does "expand-tools", which has no key now',
    'Alt+/ no longer does "search", which is on Ctrl+Shift+F',
  ]);
  expect([keymap.matches("\u000f", "inbox"), keymap.matches("\u000f", "expand-tools")]).toEqual([true, false]);
});

test("keys that a plain terminal sends as the same bytes are one key", () => {
  expect(parseKeymap('{ "inbox": "ctrl+i" }').problems).toEqual([
    'Tab no longer does "queue", which has no key now',
    'Tab no longer does "complete", which has no key now',
    'Tab no longer does "focus-next", which has no key now',
  ]);
});

test("two actions may change their keys with each other", () => {
  const { keymap, problems } = parseKeymap('{ "inbox": "alt+a", "members": "alt+i" }');
  expect({ problems, inbox: keymap.keysOf("inbox"), members: keymap.keysOf("members") }).toEqual({
    problems: [],
    inbox: ["alt+a"],
    members: ["alt+i"],
  });
});

test("reading never throws, whatever the file holds", () => {
  const seed = 20_261_115;
  let state = seed;
  const next = (max: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % max;
  };
  const parts = [
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    ",",
    "send",
    "ctrl+",
    "+",
    "none",
    "__proto__",
    "\u0000",
    "//",
    "7",
    "\\",
    " ",
  ];
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: next(14) }, () => parts[next(parts.length)]).join("");
    const { keymap } = parseKeymap(text);
    expect(keymap.describe().length, `seed ${seed}, round ${round}: ${text}`).toBeGreaterThan(10);
  }
  expect(parseKeymap(" ".repeat(KEYS_FILE_CHARS_MAX + 1)).problems).toHaveLength(1);
});

test("no two default actions fight for a key", () => {
  const everything = Object.fromEntries(ACTION_NAMES.map((action) => [action, ACTIONS[action].keys]));
  expect(parseKeymap(JSON.stringify(everything)).problems).toEqual([]);
});
