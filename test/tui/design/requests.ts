/** Moments in which members ask for approval. */
import type { DraftOf, Json } from "../../../src/protocol/index.ts";
import { ask, commands, CWD, edit, fetch, files, seated, shell, type Story } from "./tidepool.ts";

const OPTIONS = [
  { value: "allow", label: "Allow once" },
  { value: "table_session", label: "Allow this command for this session" },
  { value: "table_always", label: "Always allow this command in ~/tidepool" },
  { value: "deny", label: "Deny" },
];

type Request = Partial<Extract<DraftOf<"ui_request">["request"], { method: "approval" }>> & {
  readonly args?: Readonly<Record<string, Json>>;
  readonly path?: string;
  readonly bound?: Readonly<Record<string, string>>;
};

/** A request for approval that is denied after `seconds`. */
export function approval(
  story: Story,
  toolCallId: string,
  member: string,
  seconds: number,
  { tool = "shell", args = {}, path, bound = path === undefined ? undefined : { path }, ...rest }: Request,
): Story {
  return story.add({
    type: "ui_request",
    requestId: `request-${toolCallId}`,
    turnId: story.turnOf(member),
    member,
    toolCallId,
    request: {
      method: "approval",
      title: "",
      tool,
      call: JSON.stringify({ args, cwd: CWD, member, tool, ...(bound === undefined ? {} : { bound }) }),
      callHash: "hash",
      options: OPTIONS,
      ...rest,
    },
    timeoutMs: seconds * 1000,
    default: false,
  });
}

/** What the session has cost so far. */
function spentBefore(story: Story): Story {
  return story.spent("codex", 0.4).spent("gemini", 0.12);
}

/** gemini asks after codex. */
export function waitingFetch(story: Story): Story {
  const page = "https://www.postgresql.org/docs/current/explicit-locking.html";
  const fetched = story.call("gemini", fetch(page));
  return approval(story, fetched, "gemini", 300, { tool: "fetch", args: { url: page } });
}

const INSTALL = "npm install --save-dev fast-check && npm test";

/** codex wants to run a command, gemini to fetch a page. */
export function commandRequest(): Story {
  const story = seated({ writable: true });
  ask(story, "fix", "Fix it, and prove it with a test that fails without the fix.", ["codex", "gemini"]);
  story.start("codex", "fix").start("gemini", "fix");
  story.work("codex", 3, ...files(4));
  const test = story.call("codex", edit("test/shutdown.test.ts"));
  approval(story, test, "codex", 270, {
    tool: "edit",
    args: { path: "test/shutdown.test.ts" },
  });
  story.add({ type: "ui_response", requestId: `request-${test}`, result: "table_session", error: null });
  story.result("codex", test, { diff: addedLines("test/shutdown.test.ts", 31).replace("/dev/null", "a/test") });
  story.text(
    "codex",
    "The test needs every order of stop and poll, not one I picked. I wrote it as a property: whatever the order, a job starts once. It fails on `main` as it should:\n\n**1) starts a job once in any order** with `poll(b), stop(a), poll(b)`, which is the deploy.\n\nTo run it I have to add fast-check to the dev dependencies.",
  );
  const install = story.call("codex", shell(INSTALL));
  const opts = { reason: "I need fast-check to try every order of stop and poll." };
  approval(story, install, "codex", 270, { args: { command: INSTALL }, opts });
  return spentBefore(waitingFetch(story)).at(18);
}

export const WORKER_DIFF = `--- a/src/worker.ts
+++ b/src/worker.ts
@@ -82,8 +82,10 @@
   /** Stops taking jobs and ends the ones that run. */
   async stop(): Promise<void> {
     this.draining = true;
-    await this.lease.release();
-    await this.running.settled();
+    // The lease is ours until the handler has ended: another worker must not see the row.
+    const ended = await this.running.settled(this.options.grace);
+    if (!ended) this.log.warn("handler cut off by shutdown");
+    await this.lease.release();
   }
 
   private async poll(): Promise<void> {
`;

export function addedLines(path: string, count: number): string {
  const lines = Array.from({ length: count }, (_, at) => `+line ${at + 1}`).join("\n");
  return `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${count} @@\n${lines}\n`;
}

export function editRequest(): Story {
  const story = seated({ writable: true });
  ask(story, "fix", "Fix it, and prove it with a test that fails without the fix.", ["codex", "gemini"]);
  story.start("codex", "fix").start("gemini", "fix");
  story.work("codex", 19, ...files(4), ...commands(2));
  story.text(
    "codex",
    "The property fails on `main`. Now the fix: drain first, with a deadline, then give the lease back.",
  );
  const change = story.call("codex", edit("src/worker.ts"));
  const args = { path: "src/worker.ts" };
  const opts = { reason: "Waits for running handlers before the lease is released." };
  const options = [
    { value: "allow", label: "Allow once" },
    { value: "table_session", label: "Allow edits of src/worker.ts for this session" },
    { value: "table_always", label: "Always allow edits in ~/tidepool/src" },
    { value: "deny", label: "Deny" },
  ];
  approval(story, change, "codex", 270, {
    tool: "edit",
    args,
    path: "src/worker.ts",
    diff: WORKER_DIFF,
    options,
    opts,
  });
  return spentBefore(waitingFetch(story)).at(41);
}

const QUESTIONS = [
  {
    id: "grace",
    text: "Where should the grace period be set?\nIt has to be shorter than the platform's kill timeout, which only the deployment knows.",
    options: [
      { value: "options", label: "In the worker's options", description: "one place, a new option in the public API" },
      { value: "variable", label: "In TIDEPOOL_GRACE", description: "no API change, has to be documented" },
      { value: "both", label: "Both, options win", description: "what lease length does today" },
    ],
    multiple: false,
    freeText: true,
  },
  {
    id: "platforms",
    text: "Which platforms have to pass before this is done?",
    options: ["Linux", "macOS", "Windows"].map((label) => ({ value: label.toLowerCase(), label })),
    multiple: true,
    freeText: false,
  },
];

/** claude has two questions; `seconds` have passed since, `answer` ends them. */
export function questions(seconds: number, answer?: Json): Story {
  const story = seated({ writable: true });
  ask(story, "fix", "Fix it.", ["claude"]);
  story.start("claude", "fix").text("claude", "I have to know two things first.");
  const toolCallId = story.call("claude", { name: "ask_user", kind: "other", args: {} });
  const title = "Where should the grace period be set?";
  const asked = { turnId: story.turnOf("claude"), member: "claude", toolCallId, requestId: "questions" };
  const request = { method: "question" as const, title, questions: QUESTIONS };
  story.add({ type: "ui_request", ...asked, request, timeoutMs: 600_000, default: null });
  story.after(seconds);
  if (answer === undefined) return story;
  story.add({ type: "ui_response", requestId: "questions", result: answer, error: null });
  return story.result("claude", toolCallId);
}

const BODY = [
  "Expiry is compared with Date.now() in src/lease.ts:41. A host that is ahead steals jobs.",
  ...Array.from({ length: 12 }, (_, at) => `Line ${at + 2} of the ticket.`),
].join("\n");

/** gemini wants to use a tool of a server. */
export function toolRequest(): Story {
  const story = seated({ writable: true });
  ask(story, "ticket", "Write a ticket for what we do not fix now.", ["gemini"]);
  story.start("gemini", "ticket");
  const args = {
    title: "Use the database's clock for lease expiry",
    team: "Platform",
    labels: ["bug", "leases"],
    body: BODY,
  };
  const tool = "mcp__linear__create_issue";
  const toolCallId = story.call("gemini", { name: tool, kind: "other", args });
  const named = "linear · create_issue";
  const options = [
    { value: "allow", label: "Allow once" },
    { value: "table_session", label: `Allow ${named} for this session` },
    { value: "table_always", label: `Always allow ${named} in ~/tidepool` },
    { value: "deny", label: "Deny" },
  ];
  const opts = { reason: "You asked for a ticket for what we do not fix now." };
  const bound = { server: "linear", tool: "create_issue" };
  approval(story, toolCallId, "gemini", 300, { tool, args, options, opts, bound });
  return story.spent("gemini", 0.52).after(2);
}

/** codex was told why its command was denied, and has run another one. */
export function deniedWithReason(): Story {
  const story = commandRequest();
  const reason = "we use pnpm, and fast-check is in the workspace root already";
  story.after(7).add({ type: "ui_response", requestId: "request-call-6", result: "deny", error: null, reason });
  story.result("codex", "call-6", { ok: false, error: { code: "tool_denied", message: "denied" } });
  const test = story.call("codex", shell("pnpm test"));
  approval(story, test, "codex", 270, { args: { command: "pnpm test" } });
  story.add({ type: "ui_response", requestId: `request-${test}`, result: "allow", error: null });
  return story.result("codex", test, { durationMs: 6200 });
}
