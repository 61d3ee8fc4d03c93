/** Every key of the keys page, pressed in the real program. The tables are complete: a new action needs a row here. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { ActionName } from "../../src/tui/keys/actions.ts";
import { createHome } from "../cli/program.ts";
import { alt, ctrl, held, keys } from "./key-bytes.ts";
import { rawSince } from "./recorded-bytes.ts";
import { expectScreen } from "./screen-snapshot.ts";
import { openReadyTerminal } from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";
import { patient } from "../patience.ts";

type Proof = (seen: SeenTerminal) => Promise<unknown>;

/** The draft that is there first, the keys that are pressed, and the draft afterwards with `|` where the cursor is. */
type Edit = readonly [before: string, pressed: string, after: string];

type BoxAction = Extract<
  ActionName,
  `cursor-${string}` | `word-${string}` | `line-${string}` | `delete-${string}` | `jump-${string}` | `yank${string}`
>;

const { enter, escape, tab, up, down, left, right, home: homeKey, end } = keys;

const edits: Record<BoxAction | "newline" | "undo" | "box-page-up" | "box-page-down", readonly Edit[]> = {
  newline: [
    ["a", `${keys.shiftEnter}b`, "a\nb|"],
    ["a", `${keys.altEnter}b`, "a\nb|"],
    ["a", `${ctrl("j")}b`, "a\nb|"],
    ["a", `\\${enter}b`, "a\nb|"],
  ],
  "cursor-up": [[`one${keys.shiftEnter}two`, up, "one|\ntwo"]],
  "cursor-down": [[`one${keys.shiftEnter}two`, `${up}${homeKey}${down}`, "one\n|two"]],
  "cursor-left": [
    ["abc", left, "ab|c"],
    ["abc", ctrl("b"), "ab|c"],
    ["👩‍👩‍👧e\u0301", `${left}${left}`, "|👩‍👩‍👧e\u0301"],
  ],
  "cursor-right": [["abc", `${homeKey}${right}${ctrl("f")}`, "ab|c"]],
  "word-left": [["one two", keys.ctrlLeft, "one |two"]],
  "word-right": [["one two", `${homeKey}${keys.ctrlRight}`, "one| two"]],
  "line-start": [
    ["abc", homeKey, "|abc"],
    ["abc", ctrl("a"), "|abc"],
  ],
  "line-end": [["abc", `${homeKey}${end}`, "abc|"]],
  "box-page-up": [[`a${keys.shiftEnter}b`, keys.ctrlPageUp, "a|\nb"]],
  "box-page-down": [[`a${keys.shiftEnter}b`, `${up}${keys.ctrlPageDown}`, "a\nb|"]],
  "jump-forward": [["abcabc", `${homeKey}${ctrl("]")}c`, "ab|cabc"]],
  "jump-backward": [["abcabc", `${held("ctrlAlt", "]")}b`, "abca|bc"]],
  "delete-backward": [
    ["abc", keys.backspace, "ab|"],
    ["a👩‍👩‍👧", keys.backspace, "a|"],
  ],
  "delete-forward": [
    ["abc", `${homeKey}${keys.delete}`, "|bc"],
    ["abc", `${homeKey}${ctrl("d")}`, "|bc"],
  ],
  "delete-word-backward": [["one two", ctrl("w"), "one |"]],
  "delete-word-forward": [["one two", `${homeKey}${alt("d")}`, "| two"]],
  "delete-to-line-start": [["one two", ctrl("u"), "|"]],
  "delete-to-line-end": [["one two", `${keys.ctrlLeft}${ctrl("k")}`, "one |"]],
  yank: [["one two", `${ctrl("w")}${ctrl("y")}${ctrl("y")}`, "one twotwo|"]],
  "yank-older": [["one two", `${ctrl("w")}${left}${ctrl("k")}${homeKey}${ctrl("y")}${alt("y")}`, "two|one"]],
  undo: [["one", ` two${ctrl("-")}`, "one|"]],
};

/** The rows of the box between its two lines, with the cursor as `|`. */
function box(seen: SeenTerminal): string {
  const rows = seen.screen();
  const bottom = rows.findLastIndex((row) => /^─+$/.test(row));
  const top = rows.slice(0, bottom).findLastIndex((row) => row.startsWith("─"));
  const { column, row: cursorRow } = seen.cursor;
  return rows
    .slice(top + 1, bottom)
    .map((row, index) => {
      if (top + 1 + index !== cursorRow) return row.slice(3);
      const padded = row.padEnd(column);
      const at = columnOf(padded, column);
      return `${padded.slice(3, at)}|${padded.slice(at)}`;
    })
    .join("\n")
    .replace(/^\| ?Ask anything[^|]*$/, "|");
}

/** Where in the text a cell begins; clusters count as the two cells they take. */
function columnOf(text: string, column: number): number {
  let cells = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    if (cells >= column) return index;
    cells += /\p{Extended_Pictographic}/u.test(segment) ? 2 : 1;
  }
  return text.length;
}

async function until<T>(what: () => T, wanted: T): Promise<void> {
  await expect.poll(what, { timeout: patient(10_000), interval: 20 }).toEqual(wanted);
}

test("every editing key of the box works in a terminal, between whole characters", async ({
  onTestFinished: after,
}) => {
  const seen = await openReadyTerminal(after);
  for (const [name, list] of Object.entries(edits)) {
    for (const [before, pressed, wanted] of list) {
      seen.type(before);
      seen.type(pressed);
      await until(() => `${name}: ${box(seen)}`, `${name}: ${wanted}`);
      seen.type(ctrl("c"));
      await until(() => box(seen), "|");
    }
  }
});

/** The key puts the question with its number into the box. */
async function offersQuestion(seen: SeenTerminal, number: number): Promise<void> {
  const row = await seen.sees(new RegExp(`^ +${number}   \\S.*$`, "m"));
  const shown = new RegExp(`^ +${number}   (\\S.*?)(?:  .*)?$`, "m").exec(row)?.[1] ?? "";
  seen.type(String(number));
  await until(() => box(seen), `${shown}|`);
  seen.type(ctrl("c"));
  await until(() => box(seen), "|");
}

/** Each in a session with a member that such a question is for. */
type Asked = "question-2" | "question-3";

const screenKeys: Record<Exclude<ActionName, keyof typeof edits | Asked>, Proof> = {
  async help(seen) {
    seen.type("?");
    await seen.sees("Keys ─");
    expectScreen(await seen.rests(), "keys-card");
    seen.type("?");
    await seen.sees("keys, with an empty box");
    expectScreen(await seen.rests(), "keys-page");
    seen.type(escape);
    await seen.losesSight("Keys, set in keys.jsonc");
  },
  async "question-1"(seen) {
    await offersQuestion(seen, 1);
  },
  async send(seen) {
    seen.type(`@scout /try long 4000${enter}`);
    await seen.sees("Reply to everyone");
    await seen.sees("Enter send");
  },
  async complete(seen) {
    seen.type("@sc");
    await seen.sees("❯ @scout");
    seen.type(tab);
    await seen.sees("❯ @scout");
    seen.type(ctrl("u"));
    await seen.losesSight("❯ @scout");
  },
  async "page-up"(seen) {
    const before = await seen.rests();
    seen.type(keys.pageUp);
    await seen.sees("example.org/6");
    expect(await seen.rests()).not.toEqual(before);
  },
  async "page-down"(seen) {
    seen.type(`${keys.pageDown}${keys.pageDown}`);
    await seen.losesSight("example.org/6");
  },
  async "log-start"(seen) {
    seen.type(keys.ctrlHome);
    await seen.sees(/❯ .* to scout/);
    expectScreen(await seen.rests(), "markdown");
  },
  async "log-end"(seen) {
    seen.type(keys.ctrlEnd);
    await seen.losesSight(/❯ .* to scout/);
  },
  async "log-start-on-empty"(seen) {
    seen.type(`in the way${homeKey}`);
    await seen.sees("❯ in the way");
    expect(seen.text()).not.toMatch(/❯ .* to scout/);
    seen.type(`${ctrl("c")}${homeKey}`);
    await seen.sees(/❯ .* to scout/);
  },
  async "log-end-on-empty"(seen) {
    seen.type(end);
    await seen.losesSight(/❯ .* to scout/);
  },
  async "previous-user-message"(seen) {
    seen.type("\u001b[1;6A");
    await seen.sees(/❯ .* to scout/);
  },
  async "next-user-message"(seen) {
    seen.type(`@scout /try changes${enter}`);
    await seen.sees("Reply to everyone");
    seen.type("\u001b[1;6A\u001b[1;6A");
    await seen.sees("❯ /try long 4000");
    seen.type("\u001b[1;6B");
    await seen.losesSight("❯ /try long 4000");
    seen.type(keys.ctrlEnd);
    await seen.sees("Done: reports changed files");
  },
  async "select-previous"(seen) {
    seen.type(keys.shiftUp);
    await seen.sees("▌ scout");
    seen.type(keys.shiftUp);
    await seen.losesSight("▌ scout");
  },
  async "select-next"(seen) {
    seen.type(keys.shiftDown);
    await seen.sees("▌ scout");
  },
  async "toggle-selected"(seen) {
    const before = await seen.rests();
    seen.type(alt("o"));
    await seen.sees("const b = 3;");
    seen.type(alt("o"));
    await seen.losesSight("const b = 3;");
    expect(await seen.rests()).toEqual(before);
  },
  async "copy-message"(seen) {
    seen.type(alt("m"));
    await seen.sees("the message");
    const text = "Done: reports changed files (made up: nothing is changed).\n";
    expect(copied(seen)).toBe(text);
  },
  async "copy-code"(seen) {
    seen.type(`${keys.shiftUp}${keys.shiftUp}${alt("c")}`);
    await seen.sees("the code block");
    expect(copied(seen)).toMatch(/^export function section\d\(value: number\): number \{\n {2}return/);
  },
  async interrupt(seen) {
    seen.type(escape);
    await seen.losesSight("▌");
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("I hang now.");
    seen.type(escape);
    await seen.sees("Stopped scout.");
  },
  async "interrupt-all"(seen) {
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("Esc stops");
    await seen.sees("I hang now.");
    // A key that the test's own keys file gives.
    seen.type(ctrl("x"));
    await seen.sees("Stopped scout.");
  },
  async queue(seen) {
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("Esc stops");
    seen.type(`later${tab}`);
    await seen.sees("queued for scout: later");
  },
  async "pull-back"(seen) {
    seen.type(keys.altUp);
    await seen.sees("❯ @scout later");
    seen.type(ctrl("c"));
    await seen.losesSight("❯ @scout later");
  },
  async "clear-or-quit"(seen) {
    seen.type(ctrl("c"));
    await seen.sees("Stopped scout.");
    await seen.sees("Enter send");
  },
  async search(seen) {
    seen.type(alt("/"));
    await seen.sees("Search in this session");
    seen.type(`quote${enter}`);
    await seen.sees("/ quote");
    await seen.sees("A quote");
  },
  async "search-next"(seen) {
    const [before] = /\d+ of \d+/.exec(await seen.sees(/\d+ of \d+/)) ?? [];
    seen.type(keys.f3);
    await until(() => /\d+ of \d+/.exec(seen.text())?.[0] === before, false);
  },
  async "search-previous"(seen) {
    const [before] = /\d+ of \d+/.exec(seen.text()) ?? [];
    seen.type(keys.f2);
    await until(() => /\d+ of \d+/.exec(seen.text())?.[0] === before, false);
    seen.type(escape);
    await seen.losesSight("/ quote");
  },
  async "history-search"(seen) {
    seen.type(ctrl("r"));
    seen.type("chan");
    await seen.sees("@scout /try changes");
    expectScreen((await seen.rests()).slice(-6), "history-search");
    seen.type(enter);
    await seen.sees("❯ @scout /try changes");
  },
  async stash(seen) {
    seen.type(ctrl("s"));
    await seen.losesSight("❯ @scout /try changes");
    seen.type(ctrl("s"));
    await seen.sees("❯ @scout /try changes");
  },
  async "external-editor"(seen) {
    seen.type(ctrl("g"));
    await seen.sees("❯ @scout /try changes, edited");
    expect(seen.modes).toMatchObject({ screen: "alternate", mouse: "any" });
    seen.type(ctrl("c"));
    await seen.losesSight(", edited");
  },
  async recipients(seen) {
    await seen.sees("to everyone");
    seen.type(keys.shiftTab);
    await seen.sees("─ to scout ─");
    seen.type(keys.shiftTab);
    await seen.losesSight("─ to scout ─");
  },
  async mode(seen) {
    seen.type(alt("s"));
    await seen.sees("Mode sequential");
  },
  async "expand-tools"(seen) {
    seen.type(keys.ctrlEnd);
    seen.type(`@scout /try tool-output 300${enter}`);
    await seen.sees("The tool printed 300 lines.");
    const short = await seen.rests();
    seen.type(ctrl("o"));
    await until(() => seen.screen().join("\n") === short.join("\n"), false);
    seen.type(ctrl("o"));
    await until(() => seen.screen().join("\n"), short.join("\n"));
  },
  async thinking(seen) {
    seen.type(`@scout /try thinking${enter}`);
    await seen.sees("I have thought twice.");
    seen.type(ctrl("o"));
    await seen.sees(/∴ thought for .*[^]*First I look at what was asked\./);
    seen.type(ctrl("t"));
    await seen.losesSight("∴ thought");
    seen.type(`${ctrl("t")}${ctrl("t")}${ctrl("o")}`);
    await seen.losesSight("First I look at what was asked.");
  },
  async members(seen) {
    seen.type(alt("a"));
    await seen.sees("Members");
    // The time of work is shown only when there is enough of it.
    const rows = (await seen.rests()).map((row) => row.replace(/(▸ ran 1 command) · .*/, "$1"));
    expectScreen(rows, "members");
    seen.type(escape);
    await seen.losesSight("─ Members");
  },
  async inbox(seen) {
    seen.type(alt("i"));
    await seen.sees("Nobody is waiting for an answer.");
  },
  async redraw(seen) {
    const before = await seen.rests();
    const written = seen.recording.length;
    seen.type(keys.f5);
    await until(() => rawSince(seen, written).includes("\u001b[2J"), true);
    expect(await seen.rests()).toEqual(before);
  },
  async sessions(seen) {
    seen.type(ctrl("l"));
    await seen.sees("Sessions");
    seen.type(escape);
    await seen.sees("❯ Reply to everyone");
  },
  async "list-down"(seen) {
    seen.type(`/settings${enter}`);
    await seen.sees("❯ Theme");
    seen.type(down);
    await seen.sees("❯ Thinking");
    seen.type(ctrl("n"));
    await seen.sees("❯ Tool output");
  },
  async "list-up"(seen) {
    seen.type(ctrl("p"));
    await seen.sees("❯ Thinking");
    seen.type(up);
    await seen.sees("❯ Theme");
  },
  async "list-confirm"(seen) {
    seen.type(`${down}${enter}`);
    await seen.sees("Thinking: ‹hidden›");
    seen.type(left);
    await seen.sees("Thinking: ‹folded›");
  },
  async "list-cancel"(seen) {
    seen.type(escape);
    await seen.losesSight("─ Settings");
    seen.type(`/settings${enter}`);
    await seen.sees("─ Settings");
    seen.type(ctrl("c"));
    await seen.losesSight("─ Settings");
  },
  async "list-page-down"(seen) {
    seen.type(`/keys${enter}`);
    await seen.sees("Shift+Enter, Alt+Enter");
    seen.type(keys.pageDown);
    await seen.losesSight("Shift+Enter, Alt+Enter");
  },
  async "list-page-up"(seen) {
    seen.type(keys.pageUp);
    await seen.sees("Shift+Enter, Alt+Enter");
    seen.type(escape);
    await seen.losesSight("Shift+Enter, Alt+Enter");
  },
  async "focus-next"(seen) {
    seen.type(`@scout /try long 4000${enter}`);
    await seen.rests();
    seen.type(tab);
    await seen.sees("▌");
  },
  async "focus-up"(seen) {
    const before = await seen.rests();
    seen.type(up);
    await until(() => seen.screen().join("\n") === before.join("\n"), false);
  },
  async "focus-down"(seen) {
    const before = await seen.rests();
    seen.type(`${up}${up}${down}`);
    await until(() => seen.screen().join("\n") === before.join("\n"), false);
  },
  async "focus-left"(seen) {
    seen.type(left);
    await seen.sees("▌");
  },
  async "focus-right"(seen) {
    seen.type(right);
    await seen.sees("▌");
  },
  async "open-work"(seen) {
    seen.type("o");
    await seen.rests();
    expect(seen.text()).not.toContain("❯ o");
  },
  async "copy-focused"(seen) {
    seen.type("y");
    await until(() => copied(seen).includes("example.org/6"), true);
  },
  async "retry-focused"(seen) {
    seen.type("r");
    await seen.sees("Esc stops it");
    await seen.losesSight("Esc stops it");
    seen.type(tab);
    await seen.sees("▌");
  },
  async widen(seen) {
    seen.type(`${enter}${enter}`);
    await seen.sees("▌");
    seen.type(escape);
    await seen.losesSight("▌");
  },
  async "previous-answer"(seen) {
    const before = await seen.rests();
    seen.type(keys.ctrlUp);
    await until(() => seen.screen().join("\n") === before.join("\n"), false);
  },
  async "next-answer"(seen) {
    const before = await seen.rests();
    seen.type(keys.ctrlDown);
    await until(() => seen.screen().join("\n") === before.join("\n"), false);
  },
  // Proven in failure-actions.test.ts, where members fail in these ways.
  "go-on-without": async () => {},
  "show-stderr": async () => {},
  "retry-later": async () => {},
  "hand-over": async () => {},
  // Proven in leaving.test.ts, with a shell that has jobs.
  suspend: async () => {},
  async "quit-on-empty"(seen) {
    seen.type(ctrl("d"));
    await seen.sees("exit 0");
  },
};

/** What was last offered to the terminal's clipboard. */
function copied(seen: SeenTerminal): string {
  const data = seen.strings.findLast((one) => one.startsWith("OSC 52;c;"))?.slice("OSC 52;c;".length) ?? "";
  return Buffer.from(data, "base64").toString();
}

/** With something to ask about: a README, a note in the code and a change that is not committed. */
function makeRepository(cwd: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  writeFileSync(path.join(cwd, "README.md"), "# Widgets\n");
  writeFileSync(path.join(cwd, "src", "widget.js"), "// TODO: more of them\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "widgets");
  writeFileSync(path.join(cwd, "README.md"), "# More widgets\n");
}

describe("keys of the screen", () => {
  test("every key of the keys page that is not for editing does what the page says", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const editor = path.join(home.directory, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nprintf "%s, edited\\n" "$(cat "$1")" > "$1"\n');
    chmodSync(editor, 0o755);
    mkdirSync(path.dirname(home.configFile), { recursive: true });
    const keysFile = path.join(path.dirname(home.configFile), "keys.jsonc");
    writeFileSync(keysFile, '{ "interrupt-all": "ctrl+x" }');
    makeRepository(home.project);
    const seen = await openReadyTerminal(after, { home, env: { EDITOR: editor } });
    for (const [name, prove] of Object.entries(screenKeys)) {
      try {
        await prove(seen);
      } catch (error) {
        throw new Error(`the key of "${name}": ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    }
  });

  test("each member who knows something about the repository has a question with a key", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const names = ["scout", "historian", "critic"];
    const agents = Object.fromEntries(names.map((name) => [name, { kind: "embedded" }]));
    home.configure({ agents, council: { members: names } });
    makeRepository(home.project);
    const seen = await openReadyTerminal(after, { home });
    for (const number of [1, 2, 3]) await offersQuestion(seen, number);
  });
});
