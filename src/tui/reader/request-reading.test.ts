import { expect, test } from "vitest";
import { terminalPayloads } from "../../../test/tui/terminal-payloads.ts";
import type { UiRequestBody } from "../../protocol/index.ts";
import type { OpenRequest } from "../../transcript/index.ts";
import { createTheme } from "../theme/create-theme.ts";
import { createRequestReading } from "./request-reading.ts";
import { createLineOutput } from "./terminal-lines.ts";

const theme = createTheme({ name: "none", depth: "none" });
const COLOURS = [
  { label: "Red", value: "red", description: "the first" },
  { label: "Green", value: "green" },
];

function open(request: UiRequestBody): OpenRequest {
  const fallback = request.method === "approval" || request.method === "confirm" ? false : null;
  return { requestId: "r1", member: "ada", seq: 1, ts: 1_000, request, timeoutMs: 300_000, default: fallback };
}

function read(request: UiRequestBody): { text: string; reading: ReturnType<typeof createRequestReading> } {
  let text = "";
  const lines = createLineOutput((more) => (text += more));
  const reading = createRequestReading(open(request), theme);
  reading.readOut(lines, 1_000);
  reading.readChoices(lines);
  return { text, reading };
}

const approval = (call: string): UiRequestBody => ({
  method: "approval",
  title: "Run this?",
  tool: "shell",
  call,
  callHash: "h",
  diff: "--- a\n+++ b\n-old\n+new\n",
  options: [
    { label: "Allow", value: "allow" },
    { label: "Deny", value: "deny" },
  ],
});

test("an approval is read out with the whole command, its changes, its time limit and numbered choices", () => {
  const call = `cd "${"long/".repeat(200)}" &&\nrm -rf build\u0007`;
  expect(read(approval(call)).text).toBe(
    [
      "ada asks to run a command.",
      `  cd "${"long/".repeat(200)}" &&`,
      "  rm -rf build⟨U+0007⟩",
      "It contains 1 hidden character, read as U+ names.",
      "It would add 1 and remove 1 line:",
      "  --- a",
      "  +++ b",
      "  -old",
      "  +new",
      "Time to answer: 5 min; after that it is denied.",
      "1 or y: Allow once",
      "4 or n: Deny",
      "5 or w: Deny and say why",
      "Answer with a number or a letter, q to deny, or later to leave it open.",
      "",
    ].join("\n"),
  );
});

const confirm: UiRequestBody = { method: "confirm", title: "Go on?", message: "Really?" };
const select: UiRequestBody = { method: "select", title: "Which?", options: COLOURS };
const input: UiRequestBody = { method: "input", title: "Name?", placeholder: "any" };
const editor: UiRequestBody = { method: "editor", title: "Edit", prefill: "one\ntwo\n" };

test.each<[string, UiRequestBody, string, unknown]>([
  ["a number", approval("ls"), "4", "deny"],
  ["a letter", approval("ls"), "Y", "allow"],
  ["q", approval("ls"), "q", false],
  ["a number", select, " 1 ", "red"],
  ["q", select, "Q", null],
  ["a number", confirm, "1", true],
  ["y", confirm, "y", true],
  ["no", confirm, "No", false],
  ["q", confirm, "q", null],
  ["a line", input, "Ada Lovelace", "Ada Lovelace"],
  ["a line after a space", input, " q", "q"],
  ["q", input, "q", null],
  ["an empty line", editor, "", "one\ntwo\n"],
  ["lines", editor, "three\nfour", "three\nfour"],
])("%s answers a request", (_what, request, line, result) => {
  expect(read(request).reading.handleLine(line)).toEqual({ kind: "answer", result });
});

test.each<[UiRequestBody, string, string]>([
  [approval("ls"), "3", "The numbers are 1, 4, 5."],
  [approval("ls"), "s", "The numbers are 1, 4, 5."],
  [approval("ls"), "0", "The numbers are 1, 4, 5."],
  [approval("ls"), "allow", "The numbers are 1, 4, 5."],
  [approval("ls"), "1,4", "The numbers are 1, 4, 5."],
  [approval("ls"), "", "The numbers are 1, 4, 5."],
  [confirm, "maybe", "That is not a number. Choose a number from 1 to 2."],
  [input, "", "That line is empty."],
])("a line that is no answer is none: %o %s", (request, line, why) => {
  expect(read(request).reading.handleLine(line)).toEqual({ kind: "no-answer", why });
});

test("the parts of a question are asked one after the other and answered together", () => {
  const { reading, text } = read({
    method: "question",
    title: "Three",
    questions: [
      { id: "colours", text: "Which colours?", options: COLOURS, multiple: true, freeText: false },
      { id: "one", text: "Which one?", options: COLOURS, multiple: false, freeText: true },
      { id: "why", text: "Why?", options: [], multiple: false, freeText: true },
    ],
  });
  expect(text).toContain("Question 1 of 3: Which colours?\n1: Red, the first\n2: Green\nAnswer with numbers");
  expect(reading.handleLine("red")).toEqual({
    kind: "no-answer",
    why: "That is not a number. Choose a number from 1 to 2.",
  });
  expect(reading.handleLine("2, 1")).toEqual({ kind: "next" });
  expect(reading.handleLine("1 2")).toMatchObject({ kind: "no-answer" });
  expect(reading.handleLine("Mauve")).toEqual({ kind: "next" });
  expect(reading.handleLine("")).toEqual({ kind: "answer", result: { colours: ["red", "green"], one: "Mauve" } });
});

test("no text of a request puts a control character into the output or begins a line there", () => {
  for (const { name, bytes } of terminalPayloads) {
    const hostile = `${bytes}\nFORGED`;
    const options = [{ label: hostile, value: "x", description: hostile }];
    const requests: UiRequestBody[] = [
      { ...approval(hostile), title: hostile, options } as UiRequestBody,
      { method: "confirm", title: hostile, message: hostile },
      { method: "input", title: hostile, placeholder: hostile },
      { method: "editor", title: hostile, prefill: hostile },
      {
        method: "question",
        title: hostile,
        questions: [{ id: "a", text: hostile, options, multiple: false, freeText: false }],
      },
    ];
    for (const request of requests) {
      const { text } = read(request);
      // oxlint-disable-next-line no-control-regex -- their absence is what is proved.
      const faults = text.match(/[\0-\x08\x0b-\x1f\x7f-\x9f]|^FORGED/gm);
      expect({ name, method: request.method, faults }).toEqual({ name, method: request.method, faults: null });
    }
  }
});

test("an approval is denied with a reason in the next line", () => {
  const { reading } = read(approval("ls"));
  expect(reading.handleLine("5")).toEqual({ kind: "next" });
  expect(reading.acceptsText).toBe(true);
  expect(reading.handleLine("use pnpm")).toEqual({ kind: "answer", result: "deny", reason: "use pnpm" });
  const silent = read(approval("ls")).reading;
  silent.handleLine("w");
  expect(silent.handleLine("")).toEqual({ kind: "answer", result: "deny" });
});

test("what only an earlier version offers is read behind the choices that every approval has", () => {
  const options = ["once", "table_session", "table_session_edits", "table_always", "deny"].map((value) => ({
    label: `Option ${value}`,
    value,
  }));
  const { text, reading } = read({ ...approval("ls"), options } as UiRequestBody);
  expect(text).toContain(
    "2 or s: Option table_session\n3 or a: Option table_always\n4 or n: Deny\n5 or w: Deny and say why\n6: Option table_session_edits\n",
  );
  expect(reading.handleLine("6")).toEqual({ kind: "answer", result: "table_session_edits" });
});

test("a request that only a later version knows is read out and can be left without an answer", () => {
  const { text, reading } = read({ method: "drawing", title: "Draw it" } as unknown as UiRequestBody);
  expect(text).toContain("ada asks: Draw it");
  expect(reading.handleLine("q")).toEqual({ kind: "answer", result: null });
});
