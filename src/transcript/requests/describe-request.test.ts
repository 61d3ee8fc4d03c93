import { describe, expect, test } from "vitest";
import { FOR_ALWAYS, FOR_EDITS, FOR_SESSION, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { describeRequest } from "./describe-request.ts";
import type { RequestState } from "../messages.ts";

type Approval = Extract<UiRequestBody, { method: "approval" }>;

const OPTIONS = [
  { label: "Allow once", value: "once" },
  { label: "Allow this for the session", value: FOR_SESSION },
  { label: "Refuse", value: "refuse" },
];

function approval(tool: string, call: string | Json, more: Partial<Approval> = {}): Approval {
  const text = typeof call === "string" ? call : JSON.stringify(call);
  return { method: "approval", title: "", tool, call: text, callHash: "4f1d", options: OPTIONS, ...more };
}

const describeOpen = (request: UiRequestBody) => describeRequest({ member: "qwen", request });

describe("what is asked for", () => {
  test("a command of the built-in agent is its line and its directory", () => {
    const call = { args: { command: "cargo test" }, cwd: "/src/hexyl", member: "qwen", tool: "shell" };
    const record = describeOpen(approval("shell", call, { title: "qwen: Run cargo test" }));
    expect(record).toMatchObject({
      kind: "command",
      heading: "qwen asks to run a command",
      what: "$ cargo test",
      command: { line: "cargo test", directory: "/src/hexyl" },
      fields: [],
    });
    expect(record.title).toBeUndefined();
    expect(record.details).toEqual([
      { name: "Argument command", text: "cargo test" },
      { name: "Directory", text: "/src/hexyl" },
      { name: "Member", text: "qwen" },
      { name: "Tool", text: "shell" },
    ]);
  });

  test("a command of another agent keeps everything that changes its effect, and the reason; its tool name is a detail", () => {
    const record = describeOpen(
      approval("Bash", "rm -rf build", { title: "Run a command", opts: { reason: "stale" } }),
    );
    expect(record).toMatchObject({ command: { line: "rm -rf build" }, reason: "stale", atLimit: "denied" });
    expect(record.title).toBeUndefined();
    expect(record.details).toEqual([
      { name: "Title", text: "Run a command" },
      { name: "Call", text: "rm -rf build" },
    ]);
    expect(describeOpen(approval("bash", { command: "make", description: "Builds it" }))).toMatchObject({
      reason: "Builds it",
      fields: [],
    });
    const wider = { command: "make", cwd: "/elsewhere", additionalPermissions: { network: true, write: ["/a", "/b"] } };
    expect(describeOpen(approval("shell", wider))).toMatchObject({
      command: { line: "make", directory: "/elsewhere" },
      fields: [
        { name: "additionalPermissions.network", text: "true" },
        { name: "additionalPermissions.write", text: "/a, /b" },
      ],
    });
  });

  test("an edit is its file with the lines that change; what the diff shows is not listed again", () => {
    const diff = "--- a/src/colors.rs\n+++ b/src/colors.rs\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n+more\n";
    const bound = { path: "src/colors.rs", before: "27df87" };
    const args = { path: "./src/colors.rs", old_text: "old", new_text: "new\nmore" };
    const call = { args, bound, cwd: "/src/hexyl", member: "qwen", tool: "edit" };
    expect(describeOpen(approval("edit", call, { diff, title: "qwen: Edit src/colors.rs" }))).toMatchObject({
      kind: "edit",
      heading: "qwen asks to edit src/colors.rs",
      what: "edit src/colors.rs +2 −1",
      diff: { text: diff, added: 2, removed: 1 },
      fields: [],
    });
    expect(describeOpen(approval("edit", call, { diff, title: "qwen: Edit src/colors.rs" })).details).toEqual([
      { name: "Argument path", text: "./src/colors.rs" },
      { name: "Argument old_text", text: "old" },
      { name: "Argument new_text", text: "new\nmore" },
      { name: "File checked", text: "src/colors.rs" },
      { name: "SHA-256 of the file checked", text: "27df87" },
      { name: "Directory", text: "/src/hexyl" },
      { name: "Member", text: "qwen" },
      { name: "Tool", text: "edit" },
    ]);
    const foreign = { file_path: "/a.txt", old_string: "a", new_string: "b", replace_all: true };
    expect(describeOpen(approval("Edit", foreign, { diff: "@@ @@\n-a\n+b" }))).toMatchObject({
      heading: "qwen asks to edit /a.txt",
      fields: [{ name: "replace_all", text: "true" }],
    });
    expect(describeOpen(approval("Edit", foreign)).fields.map(({ name }) => name)).toEqual([
      "old_string",
      "new_string",
      "replace_all",
    ]);
  });

  test.each([
    ["--- /dev/null\n+++ a.txt\n@@ -0,0 +1,1 @@\n+new", "create"],
    ["--- a.txt\n+++ a.txt\n@@ -0,0 +1,1 @@\n+new", "write"],
    ["--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-old\n+new", "edit"],
  ])("%j is to %s the file", (diff, verb) => {
    const { heading } = describeOpen(approval("Write", { file_path: "a.txt", content: "new" }, { diff }));
    expect(heading).toBe(`qwen asks to ${verb} a.txt`);
  });

  test("several files are counted in the heading and named in full", () => {
    const changes = [
      { path: "a.ts", kind: { type: "update", move_path: "b.ts" }, diff: "x" },
      { path: "c.ts", kind: { type: "add" }, diff: "y" },
    ];
    expect(describeOpen(approval("apply_patch", { changes }, { diff: "-x\n+y" }))).toMatchObject({
      heading: "qwen asks to edit 3 files",
      what: "edit a.ts, b.ts, c.ts +1 −1",
    });
  });

  test("any other tool is its name with one argument a line", () => {
    const args = { title: "Use the clock", labels: ["bug", "leases"], meta: { dry: false, at: null } };
    expect(describeOpen(approval("mcp__linear__create_issue", args))).toMatchObject({
      kind: "tool",
      heading: "qwen asks to use linear · create_issue",
      what: "linear · create_issue",
      fields: [
        { name: "title", text: "Use the clock" },
        { name: "labels", text: "bug, leases" },
        { name: "meta.dry", text: "false" },
        { name: "meta.at", text: "none" },
      ],
    });
    const own = { args, bound: { server: "linear", tool: "create" }, cwd: "/", member: "qwen", tool: "linear_create" };
    expect(describeOpen(approval("linear_create", own))).toMatchObject({ what: "linear · create" });
    expect(describeOpen(approval("shell_input", "yes\n"))).toMatchObject({ fields: [{ name: "", text: "yes\n" }] });
  });

  test.each<[string, Json]>([
    ["another member", { args: { a: 1 }, cwd: "/", member: "other", tool: "fetch" }],
    ["another tool", { args: { a: 1 }, cwd: "/", member: "qwen", tool: "shell" }],
    ["something more", { args: { a: 1 }, cwd: "/", member: "qwen", tool: "fetch", extra: "x" }],
    ["another bound", { args: { a: 1 }, cwd: "/", member: "qwen", tool: "fetch", bound: { url: "x" } }],
  ])("a call that only looks like one of the built-in agent is shown whole: %s", (_why, call) => {
    const names = describeOpen(approval("fetch", call)).fields.map(({ name }) => name.split(".")[0]);
    expect(new Set(names)).toEqual(new Set(Object.keys(call as object)));
  });

  test("repeated parts of an ACP agent's request are shown once", () => {
    const diff = "@@ @@\n-a\n+b";
    const call = { title: "Edit a.txt", paths: ["a.txt"], diff };
    expect(describeOpen(approval("edit", call, { title: "Edit a.txt", diff }))).toMatchObject({
      heading: "qwen asks to edit a.txt",
      fields: [],
    });
    expect(describeOpen(approval("edit", call, { title: "Other", diff })).fields).not.toEqual([]);
  });

  test("an approval has the same choices at the same keys for every agent", () => {
    const shown = (options: Approval["options"]) =>
      describeOpen(approval("x", "y", { options })).choices.map(({ keys, label, answer }) => [
        keys.join(""),
        label,
        answer,
      ]);
    const deny = { label: "Deny", value: "deny" };
    const denials = [
      ["4n", "Deny", "deny"],
      ["5w", "Deny and say why …", "deny"],
    ];
    expect(
      shown([
        { label: "Allow once", value: "allow" },
        { label: "Allow this command for this session", value: FOR_SESSION },
        { label: "Always allow this command in ~/x", value: FOR_ALWAYS },
        deny,
      ]),
    ).toEqual([
      ["1y", "Allow once", "allow"],
      ["2s", "Allow this command for this session", FOR_SESSION],
      ["3a", "Always allow this command in ~/x", FOR_ALWAYS],
      ...denials,
    ]);
    expect(shown([{ label: "Allow once", value: "allow" }, deny])).toEqual([["1y", "Allow once", "allow"], ...denials]);
    // Of an earlier version: its own choices come last.
    expect(
      shown([
        { label: "For this session", value: "wide", description: "allow_always" },
        { label: "Yes, once", value: "a", description: "allow_once" },
        { label: "Every file here", value: FOR_EDITS },
      ]),
    ).toEqual([
      ["1y", "Allow once", "a"],
      ["4n", "Deny", false],
      ["5w", "Deny and say why …", false],
      ["6", "For this session", "wide"],
      ["7", "Every file here", FOR_EDITS],
    ]);
  });

  test("a confirmation is answered with yes or no", () => {
    expect(describeOpen({ method: "confirm", title: "Go on?", message: "Really" })).toMatchObject({
      heading: "qwen asks you",
      title: "Go on?",
      message: "Really",
      choices: [{ label: "Yes" }, { label: "No" }],
    });
  });
});

describe("the outcome", () => {
  const outcome = (request: UiRequestBody, result: Json, error: string | null = null) =>
    describeRequest({ member: "qwen", request, state: "answered", answer: { result, error } }).outcome;

  const many = approval("Bash", "ls", {
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Allow Bash(ls) for this session", value: "scope-0" },
      { label: "Always allow", value: "always" },
      { label: "Yes, and edit", value: "edits", description: "allow_always" },
      { label: "Deny", value: "deny" },
      { label: "Not now", value: "later", description: "reject_once" },
      { label: "No, and say why", value: "why" },
      { label: "s", value: FOR_SESSION },
      { label: "a", value: FOR_ALWAYS },
      { label: "e", value: FOR_EDITS },
    ],
  });

  test.each<[Json, string, string]>([
    ["allow", "allowed", "allowed once"],
    [true, "allowed", "allowed once"],
    ["scope-0", "allowed", "allowed Bash(ls) for this session"],
    ["always", "allowed", "always allowed"],
    ["edits", "allowed", "answered: Yes, and edit"],
    [FOR_SESSION, "allowed", "allowed for this session"],
    [FOR_ALWAYS, "allowed", "always allowed in this folder"],
    [FOR_EDITS, "allowed", "all edits allowed for this session"],
    ["deny", "denied", "denied"],
    ["later", "denied", "denied"],
    ["why", "denied", "denied: No, and say why"],
    [false, "denied", "denied"],
    ["unheard of", "denied", "denied"],
  ])("an approval answered with %j is %s: %s", (result, kind, text) => {
    expect(outcome(many, result)).toEqual({ kind, text });
  });

  const question: UiRequestBody = {
    method: "question",
    title: "Before I begin",
    questions: [
      {
        id: "q1",
        text: "How?",
        options: [{ label: "Read a theme file", value: "file" }],
        multiple: false,
        freeText: true,
      },
      {
        id: "q2",
        text: "Where?",
        options: [
          { label: "Linux", value: "l" },
          { label: "macOS", value: "m" },
        ],
        multiple: true,
        freeText: false,
      },
    ],
  };

  test.each<[UiRequestBody, Json, string]>([
    [question, { q1: "file", q2: ["l", "m"] }, "answered: Read a theme file; Linux, macOS"],
    [question, { q1: "by hand" }, "answered: by hand"],
    [question, {}, "answered: nothing"],
    [question, null, "no answer"],
    [{ method: "confirm", title: "Go on?", message: "" }, false, "answered: no"],
    [{ method: "select", title: "?", options: [{ label: "Red", value: "r" }] }, "r", "answered: Red"],
    [{ method: "input", title: "?" }, "", "answered: nothing"],
    [{ method: "input", title: "?" }, "Ada", "answered: Ada"],
  ])("answers are said by their labels: %#", (request, result, text) => {
    expect(outcome(request, result).text).toBe(text);
  });

  test.each<[RequestState, string, string]>([
    ["open", "waits for you", "waits for you"],
    ["expired", "denied, nobody answered", "no answer: nobody answered"],
    ["cancelled", "cancelled", "cancelled"],
    ["restart", "ended by a restart", "ended by a restart"],
    ["answered_elsewhere", "answered elsewhere", "answered elsewhere"],
  ])("one that nobody answered here is %s", (state, approved, record) => {
    const text = (request: UiRequestBody) => describeRequest({ member: "qwen", request, state }).outcome.text;
    expect([text(many), text(question)]).toEqual([approved, record]);
  });

  test("the reason of a denial is shown", () => {
    const answer = { result: "deny", error: null, reason: "use pnpm" };
    expect(describeRequest({ member: "qwen", request: many, state: "answered", answer }).outcome).toEqual({
      kind: "denied",
      text: "denied: use pnpm",
    });
  });

  test("the outcome shows who answered or why nobody could", () => {
    expect(outcome(many, false, "the screen was closed")).toEqual({
      kind: "denied",
      text: "denied: the screen was closed",
    });
    const answer = { result: "deny", error: null, by: "terminal a7wy" };
    expect(describeRequest({ member: "qwen", request: many, state: "answered", answer }).outcome.by).toBe(
      "terminal a7wy",
    );
    const bobs = { ...answer, clientId: "bob.Q7XK" };
    expect(describeRequest({ member: "qwen", request: many, state: "answered", answer: bobs }).outcome.by).toBe(
      "bob's device",
    );
  });
});
