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
};

/** A request for approval that is denied after `seconds`. */
export function approval(
  story: Story,
  toolCallId: string,
  member: string,
  seconds: number,
  { tool = "shell", args = {}, path, title = "", options = OPTIONS, ...rest }: Request,
): Story {
  return story.add({
    type: "ui_request",
    requestId: `request-${toolCallId}`,
    turnId: story.turnOf(member),
    member,
    toolCallId,
    request: {
      method: "approval",
      title,
      tool,
      call: JSON.stringify({ args, cwd: CWD, member, tool, ...(path === undefined ? {} : { bound: { path } }) }),
      callHash: "hash",
      options,
      ...rest,
    },
    timeoutMs: seconds * 1000,
    default: false,
  });
}

/** gemini asks after codex. */
function waitingFetch(story: Story): Story {
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
  const args = { command: INSTALL, description: "I need fast-check to try every order of stop and poll." };
  approval(story, install, "codex", 270, { args });
  return waitingFetch(story).at(18);
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
  const args = { path: "src/worker.ts", description: "Waits for running handlers before the lease is released." };
  const options = [
    { value: "allow", label: "Allow once" },
    { value: "table_session", label: "Allow edits of src/worker.ts for this session" },
    { value: "table_always", label: "Always allow edits in ~/tidepool/src" },
    { value: "deny", label: "Deny" },
  ];
  approval(story, change, "codex", 270, { tool: "edit", args, path: "src/worker.ts", diff: WORKER_DIFF, options });
  return waitingFetch(story).at(41);
}
