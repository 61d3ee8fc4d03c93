import { expect, test } from "vitest";
import { created, ended, joined, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft, EventOf } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import type { ToolBlock, TurnMessage } from "../messages.ts";
import { formatRunningTime, formatSize, formatTook, formatTurnTime, formatWorkTime } from "../format/units.ts";
import { turnById } from "./messages.ts";
import { failureLines, formatWork, isFoldedWork, toolAction, toolStatus } from "./work.ts";

const turn = { turnId: "t1", member: "claude" };
type Start = Partial<Pick<EventOf<"tool_call_start">, "name" | "args" | "kind" | "title">>;
type End = Partial<Omit<EventOf<"tool_result">, "type">>;

function turnOf(calls: readonly { start: Start; end?: End }[], isOver = false): TurnMessage {
  const drafts = calls.flatMap(({ start, end }, at): EventDraft[] => [
    { type: "tool_call_start", ...turn, toolCallId: `c${at}`, name: "tool", args: {}, ...start },
    ...(end === undefined ? [] : [{ type: "tool_result" as const, ...turn, toolCallId: `c${at}`, ok: true, ...end }]),
  ]);
  const over = isOver ? [ended("t1", "claude")] : [];
  const transcript = fold(
    empty("session"),
    stamped([created(), joined("claude"), started("t1", "claude"), ...drafts, ...over]),
  );
  return turnById(transcript, "t1") as TurnMessage;
}

const toolsOf = (message: TurnMessage) => message.blocks.filter((block): block is ToolBlock => block.kind === "tool");
const toolOf = (start: Start, end?: End): ToolBlock =>
  toolsOf(turnOf([{ start, ...(end === undefined ? {} : { end }) }]))[0] as ToolBlock;

const read = (path: string): Start => ({ name: "Read", kind: "read", args: { file_path: path } });
const run = (command: string): Start => ({ name: "Bash", kind: "execute", args: { command } });

test("a turn's work is one line: a file read twice counts once, failures are shown with their kind", () => {
  const calls = [
    { start: read("/w/a.ts"), end: { durationMs: 1000 } },
    { start: read("/w/a.ts"), end: { durationMs: 1000 } },
    { start: read("/w/b.ts"), end: { durationMs: 3000 } },
    { start: { name: "Grep", kind: "search" as const, args: { pattern: "x" } }, end: { durationMs: 1 } },
    { start: run("npm test"), end: { durationMs: 2000 } },
    {
      start: run("npm run soak"),
      end: { ok: false, error: { code: "tool_error" as const, message: "exit code 2" }, durationMs: 2600 },
    },
  ];
  expect(formatWork(toolsOf(turnOf(calls)))).toMatch(
    /^read 2 files, searched once, ran 2 commands \(1 failed\) · \d+ s$/,
  );
  expect(formatWork([])).toBe("");
});

test("of calls that were denied nothing was done", () => {
  const denied = { ok: false, error: { code: "tool_denied" as const, message: "Denied." }, durationMs: 1 };
  const calls = [
    { start: read("/w/a.ts"), end: { durationMs: 1 } },
    { start: run("rm -rf dist"), end: denied },
  ];
  expect(formatWork(toolsOf(turnOf(calls)))).toMatch(/^read 1 file, 1 call denied\b/);
  expect(formatWork(toolsOf(turnOf(calls.slice(1))))).toMatch(/^1 call denied\b/);
});

test.each<[string, Start, End | undefined, string]>([
  [
    "lines",
    { ...read("/w/src/a.ts"), args: { file_path: "/w/src/a.ts", offset: 1, limit: 140 } },
    undefined,
    "read src/a.ts 1–140",
  ],
  [
    "a folder",
    { name: "Grep", kind: "search", args: { pattern: "lease", path: "/w/src" } },
    { result: "Found 11 matches in 4 files\na" },
    "search lease in src · 11 matches in 4 files",
  ],
  ["a script", run("cd src\nnpm test"), undefined, "$ cd src npm test"],
  [
    "a list",
    { name: "shell", kind: "execute", args: { command: ["bash", "-lc", "npm test"] } },
    undefined,
    "$ npm test",
  ],
  [
    "a change",
    { name: "Edit", kind: "edit", args: { file_path: "/w/a.ts" } },
    { diff: "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n-x\n+y\n+z" },
    "edit a.ts +2 −1",
  ],
  [
    "a new file",
    { name: "Write", kind: "edit", args: { file_path: "/w/n.md" } },
    { diff: "--- /dev/null\n+++ b/n.md\n@@ -0,0 +1 @@\n+y" },
    "write n.md +1 −0",
  ],
  [
    "a move",
    { name: "move", kind: "edit", args: { path: "/w/a.ts", to: "/w/b/a.ts" } },
    undefined,
    "move a.ts → b/a.ts",
  ],
  [
    "an address",
    { name: "WebFetch", kind: "other", args: { url: "https://example.org/x", prompt: "p" } },
    undefined,
    "fetch https://example.org/x",
  ],
  ["any other tool", { name: "mcp__db__query", args: { sql: "select 1" } }, undefined, "db · query select 1"],
])("a call says what first: %s", (_, start, end, line) => {
  const { verb, target, detail = "", changes } = toolAction(toolOf(start, end), "/w");
  const counts = changes === undefined ? "" : `+${changes.added} −${changes.removed}`;
  expect([verb, target, detail, counts].filter((text) => text !== "").join(" ")).toBe(line);
});

test.each<[ReturnType<typeof toolStatus>["kind"], string, Start, End | undefined]>([
  ["running", "", run("x"), undefined],
  ["ok", "", run("x"), {}],
  ["background", "", { name: "Bash", kind: "execute", args: { command: "x", run_in_background: true } }, {}],
  ["failed", "exit 2", run("x"), { ok: false, error: { code: "tool_error", message: "exit code 2" } }],
  [
    "failed",
    "time limit",
    run("x"),
    { ok: false, error: { code: "tool_error", message: "bash timed out after 600 s." } },
  ],
  ["stopped", "stopped by you", run("x"), { ok: false, error: { code: "tool_interrupted", message: "" } }],
  [
    "denied",
    "denied: use npm ci",
    run("x"),
    { ok: false, error: { code: "tool_denied", message: "use npm ci. Go on." } },
  ],
])("a call is %s: %s", (kind, text, start, end) => {
  expect(toolStatus(toolOf(start, end))).toMatchObject({ kind, text });
});

test("truncated output says how much there is", () => {
  const tool = toolOf(run("x"), { truncated: { totalBytes: 9_100_000, shownBytes: 64_000 } });
  expect(toolStatus(tool).facts).toStrictEqual(["truncated, 64 kB of 9.1 MB"]);
});

test("the reason of a failure is not repeated in its lines", () => {
  const end = {
    ok: false,
    result: "a.ts(1,2): wrong\n(exit code 2)",
    error: { code: "tool_error" as const, message: "exit code 2" },
  };
  expect(failureLines(toolOf(run("x"), end))).toStrictEqual(["a.ts(1,2): wrong"]);
});

test("failures stay visible until the turn ends; edits always do", () => {
  const failed = { start: run("x"), end: { ok: false } };
  const edit = { start: { name: "Edit", kind: "edit" as const }, end: {} };
  const ok = { start: run("y"), end: {} };
  const folded = (message: TurnMessage) => toolsOf(message).map((tool) => isFoldedWork(tool, message));
  expect(folded(turnOf([failed, edit, ok]))).toStrictEqual([false, false, true]);
  expect(folded(turnOf([failed, edit, ok], true))).toStrictEqual([true, false, true]);
});

test("times, sizes and turns are written the same way everywhere", () => {
  expect([40, 400, 3200, 8000, 12_400, 180_000, 7_200_000].map(formatWorkTime)).toStrictEqual([
    "0 s",
    "0.4 s",
    "3.2 s",
    "8 s",
    "12 s",
    "3 min",
    "2 h",
  ]);
  expect([0, 3200, 59_900].map(formatRunningTime)).toStrictEqual(["0 s", "3 s", "1 min"]);
  expect([0, 412, 949, 950, 1_900, 31_000].map(formatTook)).toStrictEqual([
    "0 s",
    "0.4 s",
    "0.9 s",
    "0:01",
    "0:01",
    "0:31",
  ]);
  expect([31_000, 725_000, 3_725_000].map(formatTurnTime)).toStrictEqual(["0:31", "12:05", "1:02:05"]);
  expect([300, 64_000, 9_100_000].map(formatSize)).toStrictEqual(["300 B", "64 kB", "9.1 MB"]);
});
