/** Every kind of work, as the design's sheet has it. */
import { addedLines, approval, WORKER_DIFF } from "./requests.ts";
import { ask, edit, fetch, files, read, search, seated, shell, type Story } from "./tidepool.ts";

const TURN = { turnId: "claude-work", member: "claude" };
const TYPE_ERROR = "src/worker.ts(91,5): Type 'void' is not assignable to type 'Promise<void>'.\n";

/** What stands in an open turn: it runs, waits, failed, was denied, or is a result. */
export function liveWork(): Story {
  const story = seated({ title: "Work, line by line", writable: true });
  ask(story, "work", "Do a bit of everything.", ["claude"]);
  story.start("claude", "work");
  story.work("claude", 8, ...files(6), search("lease_until"), search("release"));
  const dev = { ...shell("npm run dev &"), args: { command: "npm run dev &", run_in_background: true } };
  const tests = story.call("claude", shell("npx vitest run test/lease.test.ts"));
  story.output("claude", tests, "✓ renews the lease while it runs           212 ms\n");
  story.output(
    "claude",
    tests,
    "✓ gives up after three missed renewals     640 ms\n  hands a lost job to another worker …\n",
  );
  failedCalls(story);
  const server = story.call("claude", dev);
  story.add({ type: "tool_call_update", ...TURN, toolCallId: server, detail: "ready on port 5173" });
  story.result("claude", server, { durationMs: 100 });
  stoppedCalls(story);
  const change = story.call("claude", edit("src/worker.ts"));
  approval(story, change, "claude", 300, { tool: "edit", args: { path: "src/worker.ts" }, path: "src/worker.ts" });
  story.add({ type: "ui_response", requestId: `request-${change}`, result: "table_session", error: null });
  story.result("claude", change, { diff: WORKER_DIFF });
  story.work("claude", 0, { tool: edit("docs/leases.md"), result: { diff: addedLines("docs/leases.md", 58) } });
  const move = { path: "src/clock.ts", to: "src/time/clock.ts" };
  story.work("claude", 0, { ...edit("src/clock.ts"), args: move });
  story.after(6);
  story.thinking("claude", "Two clocks are involved, the worker's and the database's. If it runs");
  subagents(story);
  plan(story);
  const reason = "the model server is overloaded (529)";
  return story.add({ type: "retrying", ...TURN, attempt: 2, of: 5, delayMs: 4000, reason }).after(6);
}

function failedCalls(story: Story): void {
  const typecheck = story.call("claude", shell("npm run typecheck"));
  story.output("claude", typecheck, TYPE_ERROR);
  const error = { code: "tool_error" as const, message: "exit code 2" };
  story.result("claude", typecheck, { ok: false, error, durationMs: 4100 });
  const soak = story.call("claude", shell("npm run soak"));
  const late = { code: "tool_error" as const, message: "timed out" };
  story.result("claude", soak, { ok: false, error: late, durationMs: 600_000 });
}

function stoppedCalls(story: Story): void {
  const bench = story.call("claude", shell("npm run bench"));
  const stopped = { code: "tool_interrupted" as const, message: "stopped" };
  story.result("claude", bench, { ok: false, error: stopped, durationMs: 8000 });
  const publish = story.call("claude", shell("npm publish --dry-run"));
  approval(story, publish, "claude", 300, { args: { command: "npm publish --dry-run" } });
  const denied = story.call("claude", shell("rm -rf node_modules"));
  approval(story, denied, "claude", 300, { args: { command: "rm -rf node_modules" } });
  const requestId = `request-${denied}`;
  story.add({ type: "ui_response", requestId, result: "deny", error: null, reason: "use npm ci instead" });
  story.result("claude", denied, { ok: false, error: { code: "tool_denied", message: "denied" } });
  const byRule = story.call("claude", fetch("https://example.org/install.sh"));
  story.add({ type: "tool_call_update", ...TURN, toolCallId: byRule, decided: { verdict: "deny", by: "rule" } });
  story.result("claude", byRule, { ok: false, error: { code: "tool_denied", message: "denied by a rule" } });
}

function subagents(story: Story): void {
  const tasks = [
    ["one", "Find every caller of release()", "haiku-4.5"],
    ["two", "Compare with the retry path", undefined],
  ] as const;
  for (const [name, task, model] of tasks) {
    const subagentTurnId = `task-${name}`;
    story.add({ type: "subagent_spawned", ...TURN, subagentTurnId, name, task, depth: 1 });
    const turn = { turnId: subagentTurnId, member: "claude", depth: 1, cause: "subagent" as const, messageIds: [] };
    story.add({ type: "turn_start", ...turn, parentTurnId: TURN.turnId, ...(model === undefined ? {} : { model }) });
  }
  const looking = "src/shutdown.ts:12 calls it from the signal handler; looking at the tests";
  const said = { turnId: "task-one", member: "claude" };
  for (const [at, { name, kind, args }] of files(14).entries()) {
    const toolCallId = `task-call-${at}`;
    story.add({ type: "tool_call_start", ...said, toolCallId, name, kind, args });
    story.add({ type: "tool_result", ...said, toolCallId, ok: true });
  }
  story.add({ type: "text_delta", ...said, segmentId: "task-text", text: looking });
  const usage = { inputTokens: 900, outputTokens: 90, costUsd: 0.02 };
  const ended = { turnId: "task-two", member: "claude", outcome: "completed" as const };
  story.add({ type: "turn_end", ...ended, durationMs: 48_000, usage });
  const text = "Retries keep the lease; only stop() releases early.\nMore below.";
  story.add({ type: "subagent_result", ...TURN, subagentTurnId: "task-two", outcome: "completed", text });
}

const STEPS = [
  ["Reproduce with two workers", "completed"],
  ["Write the property test", "completed"],
  ["Drain before release", "in_progress"],
  ["Use the database's clock", "pending"],
  ["Note it in CHANGELOG.md", "pending"],
] as const;

function plan(story: Story): void {
  const items = STEPS.map(([text, status]) => ({ text, status }));
  story.add({ type: "plan_update", ...TURN, planId: "plan", items });
}

/** What is folded into the work line, to be unfolded. */
export function finishedWork(): Story {
  const story = seated({ title: "Work, line by line", writable: true });
  ask(story, "work", "Do a bit of everything.", ["claude"]);
  story.start("claude", "work");
  const part = (path: string, start: number, end: number) => ({
    ...read(path),
    args: { path, start_line: start, end_line: end },
  });
  const found = { tool: search("lease_until"), result: { result: "11 matches in 4 files" } };
  const looked = [part("src/worker.ts", 1, 140), read("src/lease.ts"), part("src/store/postgres.ts", 60, 130), found];
  story.work("claude", 4, ...looked);
  story.work("claude", 0.1, shell("git log --oneline -5 src/lease.ts"));
  const log = story.call("claude", shell("cat var/jobs.log"));
  const claimed = ["2", "7", ...Array.from({ length: 4120 }, () => "7")];
  const lines = claimed.map((worker) => `09:41:07 job 81423 claimed by w-${worker}\n`).join("");
  const truncated = { totalBytes: 9_100_000, shownBytes: 64_000 };
  story.result("claude", log, { result: lines, truncated, durationMs: 300 });
  const install = story.call("claude", shell("npm ci"));
  approval(story, install, "claude", 300, { args: { command: "npm ci" } });
  story.add({ type: "ui_response", requestId: `request-${install}`, result: "allow", error: null });
  story.result("claude", install, { durationMs: 6200 });
  story.work("claude", 0, { tool: edit("src/lease.ts"), result: { diff: LEASE_DIFF } });
  story.thinking("claude", "Enough.");
  story.after(11).text("claude", "That is all.");
  return story.end("claude", 20, 0.1);
}

const LEASE_DIFF = `--- a/src/lease.ts
+++ b/src/lease.ts
@@ -40,3 +40,3 @@
   isExpired(): boolean {
-    return this.expiresAt < Date.now();
+    return this.expiresAt < this.clock.now();
   }
`;
