import { expect, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import {
  contextOf,
  picture,
  sessionLog,
  SETTINGS,
  shownMessages,
  transcriptOf,
} from "../../../test/tui/draw-panels.ts";
import { senderId, type DraftOf, type EventDraft, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { createPanel } from "./create-panel.ts";

const of = { turnId: "t1", member: "claude" };
const start = (toolCallId: string, title: string, more: object = {}): EventDraft => ({
  type: "tool_call_start",
  ...of,
  toolCallId,
  name: "shell",
  args: {},
  title,
  kind: "execute",
  ...more,
});
const output = (text: string): EventDraft => ({ type: "tool_output_delta", ...of, toolCallId: "c1", text });
const result = (more: Partial<DraftOf<"tool_result">>, toolCallId = "c1"): EventDraft => ({
  type: "tool_result",
  ...of,
  toolCallId,
  ok: true,
  durationMs: 5,
  ...more,
});

const approval = (command: string): UiRequestBody => ({
  method: "approval",
  title: `claude: Run ${command}`,
  tool: "shell",
  call: JSON.stringify({ args: { command }, cwd: "/w", member: "claude", tool: "shell" }),
  callHash: "h",
  options: [
    { label: "Allow once", value: "once" },
    { label: "Refuse", value: "refuse" },
  ],
});
const asked = (requestId: string, request: UiRequestBody, toolCallId?: string): EventDraft => ({
  type: "ui_request",
  ...of,
  requestId,
  ...(toolCallId === undefined ? {} : { toolCallId }),
  request,
  timeoutMs: 1_000,
  default: false,
});
const answered = (requestId: string, given: Json): EventDraft => ({
  type: "ui_response",
  requestId,
  result: given,
  error: null,
  by: "terminal a7wy",
});
const DENIED = { code: "tool_denied", message: "The user refused this call. Do not try it in another way." } as const;

const rows = (...inside: EventDraft[]): string[] =>
  picture([said("m1", ["claude"]), started("t1", "claude"), ...inside, ended("t1", "claude")], {
    width: 70,
    settings: { ...SETTINGS, isExpanded: true },
  })
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.slice(3));

test("the output of a command is drawn once, and nothing is called truncated when nothing is missing", () => {
  const text = "a.ts\nb.ts\n";
  const run = [start("c1", "Run ls"), output(text)];
  expect(rows(...run, result({ result: text.trimEnd() }))).toMatchInlineSnapshot(`
    [
      "▾ ran 1 command",
      "  $ Run ls  ✓ 0 s",
      "    │ a.ts",
      "    │ b.ts",
    ]
  `);
  const failed = { ok: false, error: { code: "tool_error", message: "(exit code 2)" } } as const;
  expect(rows(...run, result({ result: `${text}(exit code 2)`, ...failed }))).toMatchInlineSnapshot(`
    [
      "▾ ran 1 command (1 failed)",
      "  $ Run ls  ✗ exit 2 · 0 s",
      "    │ a.ts",
      "    │ b.ts",
    ]
  `);
  const truncated = { totalBytes: 9_000_000, shownBytes: 64_000 };
  expect(rows(...run, result({ result: "begin\n…\nend", truncated }))).toMatchInlineSnapshot(`
    [
      "▾ ran 1 command",
      "  $ Run ls  ✓ 0 s · truncated, 64 kB of 9 MB",
      "    │ begin",
      "    │ …",
      "    │ end",
    ]
  `);
});

test("a denied call is no failure, and nothing says that it ran", () => {
  const asks = [start("c1", "Run rm"), asked("r1", approval("rm -rf x"), "c1")];
  const callRow = (...inside: EventDraft[]) => rows(...inside)[1];
  expect(callRow(...asks, answered("r1", "refuse"), result({ ok: false, error: DENIED }))).toBe("  $ Run rm  ⊘ denied");
  const why: EventDraft = { ...answered("r1", "refuse"), reason: "use pnpm" } as EventDraft;
  expect(callRow(...asks, why, result({ ok: false, error: DENIED }))).toBe("  $ Run rm  ⊘ denied: use pnpm");
  const expired: EventDraft = { type: "ui_cancelled", requestId: "r1", reason: "expired" };
  expect(callRow(...asks, expired, result({ ok: false, error: DENIED }))).toBe("  $ Run rm  ⊘ denied, nobody answered");
  expect(callRow(start("c1", "Run rm"), result({ ok: false, error: DENIED }))).toBe(
    "  $ Run rm  ⊘ denied: The user refused this call",
  );
  expect(rows(...asks, why, result({ ok: false, error: DENIED }))[0]).toBe("▾ 1 call denied");
});

test("that a call was allowed stands on its own row, whatever began in between", () => {
  expect(
    rows(
      start("c1", "Run ls"),
      start("c2", "Run pwd"),
      asked("r1", approval("ls"), "c1"),
      answered("r1", "once"),
      result({ result: "a" }),
      result({ result: "/w" }, "c2"),
    ),
  ).toMatchInlineSnapshot(`
    [
      "▾ ran 2 commands",
      "  $ Run ls  ✓ 0 s · allowed once",
      "    │ a",
      "  $ Run pwd  ✓ 0 s",
      "    │ /w",
    ]
  `);
});

test("a question is shown once, with its answers by their labels", () => {
  const question: UiRequestBody = {
    method: "question",
    title: "Before I begin",
    questions: [
      { id: "q1", text: "How?", options: [{ label: "Read a file", value: "f" }], multiple: false, freeText: false },
    ],
  };
  const asks = [start("c1", "user_question", { name: "user_question", kind: "ask" }), asked("r1", question)];
  const drawn = (given: Json, text: string) =>
    rows(...asks, answered("r1", given), result({ result: text })).join("\n");
  expect(drawn({ q1: "f" }, '{"q1":"f"}')).toContain("✓ answered: Read a file");
  expect(drawn(null, "null")).toContain("⊘ no answer");
  expect(drawn(null, "null")).not.toContain("user_question");
});

test("who answered or wrote is named anew once the people of the team are known better", () => {
  const ada = { id: "01J000000000000000000000AD", name: "ada" };
  const formerBob = { id: "01J000000000000000000000B1", name: "bob" };
  const bob = { id: "01J000000000000000000000B2", name: "bob" };
  const clientId = senderId(formerBob, "Q7XK");
  const transcript = transcriptOf(
    sessionLog([
      said("m1", ["claude"], { clientId }),
      started("t1", "claude"),
      asked("r1", { method: "confirm", title: "Go on?", message: "" }),
      { ...answered("r1", true), clientId } as EventDraft,
      ended("t1", "claude"),
    ]),
  );
  const settings = { ...SETTINGS, isExpanded: true };
  const context = contextOf(transcript, { settings, seenAs: { me: ada.id, owner: ada, people: [ada, formerBob] } });
  const messages = shownMessages(transcript);
  const panels = messages.map((message) => createPanel(message, context));
  const drawn = () => panels.flatMap((panel) => panel.render(70)).join("\n");
  expect(drawn()).toContain("from bob ");
  expect(drawn()).toContain("answered by bob");
  expect(drawn()).not.toContain("(removed)");
  const later = { ...context, seenAs: { me: ada.id, owner: ada, people: [ada, bob] } };
  messages.forEach((message, at) => panels[at]?.update(message, later));
  expect(drawn()).toContain("from bob (removed)");
  expect(drawn()).toContain("answered by bob (removed)");
});
