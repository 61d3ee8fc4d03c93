/** Sessions about a job queue that does not exist, one per state: what the pictures of the page show. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { EventDraft } from "../src/protocol/index.ts";
import { commitAll, git } from "../test/agents/scratch-repository.ts";
import { created, ended, joined, said, started } from "../test/generate/drafts.ts";
import { stamped } from "../test/generate/stamped.ts";
import type { FakeHost } from "../test/web/fake-host.ts";

const MODELS = { claude: "Opus", codex: "GPT Codex", gemini: "Gemini Pro" } as const;
const NAMES = ["claude", "codex", "gemini"] as const;
type Name = (typeof NAMES)[number];

const SHUTDOWN = `import { releaseAll } from "../lease/release.ts";
import type { Worker } from "./worker.ts";

export const DRAIN_MS = 30_000;

/** Stops claiming, waits for the jobs in flight, then gives every lease back. */
export async function shutdown(worker: Worker): Promise<void> {
  worker.stopClaiming();
  await releaseAll(worker.leases);
  await worker.inFlight.settled();
}
`;

const DRAINED = SHUTDOWN.replace(
  `  await releaseAll(worker.leases);
  await worker.inFlight.settled();
`,
  `  const done = await worker.drain(DRAIN_MS);
  if (!done) worker.log.warn("jobs still running");
  await releaseAll(worker.leases);
`,
);

const SHUTDOWN_DIFF = `--- a/src/worker/shutdown.ts
+++ b/src/worker/shutdown.ts
@@ -7,5 +7,6 @@ export async function shutdown(worker: Worker): Promise<void> {
   worker.stopClaiming();
-  await releaseAll(worker.leases);
-  await worker.inFlight.settled();
+  const done = await worker.drain(DRAIN_MS);
+  if (!done) worker.log.warn("jobs still running");
+  await releaseAll(worker.leases);
 }
`;

/** A repository with one commit and changes that are not committed. */
export async function makeRepository(parent: string): Promise<string> {
  const root = path.join(parent, "saltmarsh");
  await mkdir(root);
  git(root, ["init", "--quiet", "--initial-branch=main"]);
  const files = {
    "README.md": "# Saltmarsh\n\nA job queue on Postgres.\n",
    "package.json": '{ "name": "saltmarsh", "type": "module" }\n',
    "src/worker/shutdown.ts": SHUTDOWN,
    "src/worker/worker.ts": "export interface Worker {\n  stopClaiming(): void;\n}\n",
    "src/lease/release.ts":
      "export async function releaseAll(leases: Set<Lease>): Promise<void> {\n  leases.clear();\n}\n",
    "src/claim/claim.sql": "select id from jobs where state = 'due' for update skip locked limit 1;\n",
    "test/claim.test.ts": 'test("a job runs once", async () => {});\n',
  };
  await commitAll(root, [{ by: "Ada", day: "2026-11-02", message: "queue: claim by lease", files }]);
  return root;
}

/** What the session with changes has left in the repository. */
export async function changeRepository(root: string): Promise<void> {
  await writeFile(path.join(root, "src/worker/shutdown.ts"), DRAINED);
  await writeFile(
    path.join(root, "test/drain.test.ts"),
    'test("a worker waits for its jobs, at most 30 s", async () => {});\n',
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface MadeSession {
  readonly id: string;
  /** Time of the last event. */
  readonly agoMs: number;
  readonly drafts: readonly EventDraft[];
}

function begin(title: string, cwd: string, question: string, members: readonly Name[] = NAMES): EventDraft[] {
  return [
    created({ title, cwd }),
    ...members.map((name) => joined(name, { spec: { name, kind: "embedded", model: MODELS[name] } })),
    said("m1", [...members], { text: question, toAll: true }),
  ];
}

const turnOf = (turnId: string, member: Name): EventDraft =>
  started(turnId, member, { messageIds: ["m1"], rootMessageId: "m1", round: 1, model: MODELS[member] });

function call(
  of: { turnId: string; member: Name },
  at: number,
  kind: "read" | "search" | "execute",
  title: string,
): EventDraft[] {
  const toolCallId = `${of.turnId}-${at}`;
  return [
    {
      type: "tool_call_start",
      ...of,
      toolCallId,
      name: kind === "execute" ? "run" : kind,
      args: kind === "read" ? { path: title } : {},
      title,
      kind,
    },
    { type: "tool_result", ...of, toolCallId, ok: true, durationMs: 900, result: "…" },
  ];
}

function whole(turnId: string, member: Name, text: string, durationMs: number): EventDraft[] {
  const of = { turnId, member };
  const usage = { inputTokens: 14_200, outputTokens: 830, costUsd: 0.12 };
  return [
    turnOf(turnId, member),
    ...call(of, 1, "read", "src/claim/claim.sql"),
    ...call(of, 2, "read", "src/lease/release.ts"),
    ...call(of, 3, "execute", "pnpm bench claim"),
    { type: "text_done", ...of, segmentId: turnId, text },
    ended(turnId, member, { durationMs, usage }),
  ];
}

const LEASES = `**Leases are given back before the running jobs have finished.** On \`SIGTERM\`, \`src/worker/shutdown.ts:9\` releases every lease and only then waits for the jobs in flight. Until they end, any other worker may claim the same rows.

\`\`\`ts
worker.stopClaiming();
await releaseAll(worker.leases);
await worker.inFlight.settled();
\`\`\`

### Why only on deploys

1. A rolling restart stops workers with four to eight jobs in flight.
2. \`releaseAll\` sets \`lease_until = now()\`, so the rows are free at once (\`src/lease/release.ts:1\`).
`;

const ORDER = `Two things meet here.

1. The worker gives its leases back too early.
2. \`claim.sql\` has no check that the last holder is gone.

The smallest safe fix is the **order**: drain first, release after, with a limit of 30 s.`;

const INDEX = `**A partial index on due, unclaimed rows.** The planner reads 1.9 million finished rows to find a few hundred due ones (\`src/claim/claim.sql:1\`). Only rows with \`state = 'due'\` belong in the index.

\`\`\`sql
create index concurrently jobs_due
  on jobs (queue, run_at)
  where state = 'due';
\`\`\`
`;

const MEASURED = `Measured on 2 million rows: **212 ms to 0.4 ms** with a partial index on \`(queue, run_at)\`. A full index gives 3.1 ms and slows inserts by 18 %.

| Index | Claim | Insert |
|---|---:|---:|
| none | 212 ms | 1.00× |
| full | 3.1 ms | 1.18× |
| partial | 0.4 ms | 1.02× |
`;

const KEEP = `**Partial index, and keep \`skip locked\`.** The sort in \`src/claim/claim.sql:1\` vanishes when the index order is \`(queue, priority, run_at)\`.

- Without \`priority\`, urgent jobs need a sort of all due rows.
- With it, the first matching row is the answer.
`;

const MINUTES = `## Asked
A drain timeout of 30 seconds.

## Agreed
- Drain **before** leases are given back.
- After 30 s the worker warns and goes on.

## Open
- Whether the limit belongs in the configuration (gemini).`;

const WAIT = `The order matters more than the length of the wait. I would land the swap alone and make the limit a setting later.

One thing to keep in mind: the supervisor sends \`SIGKILL\` after 45 s, so the limit has to stay below that.`;

const EDIT = {
  type: "ui_request",
  requestId: "r1",
  member: "codex",
  timeoutMs: 900_000,
  default: false,
  request: {
    method: "approval",
    title: "Edit src/worker/shutdown.ts",
    tool: "edit",
    call: JSON.stringify({
      args: { path: "src/worker/shutdown.ts" },
      cwd: "/home/ada/saltmarsh",
      member: "codex",
      tool: "edit",
    }),
    callHash: "a".repeat(64),
    diff: SHUTDOWN_DIFF,
    opts: { reason: "Waits for running jobs, at most 30 s, then gives leases back." },
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Allow all edits (session)", value: "session" },
      { label: "Deny", value: "deny" },
    ],
  },
} satisfies EventDraft;

const COMMAND = {
  type: "ui_request",
  requestId: "r2",
  member: "gemini",
  timeoutMs: 900_000,
  default: false,
  request: {
    method: "approval",
    title: "Run a command",
    tool: "shell",
    call: JSON.stringify({
      args: { command: "pnpm test --filter worker -- --repeat 60" },
      cwd: "/home/ada/saltmarsh",
      member: "gemini",
      tool: "shell",
    }),
    callHash: "b".repeat(64),
    opts: { reason: "To see how often it fails." },
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Allow this command (session)", value: "session" },
      { label: "Always allow in this folder", value: "always" },
      { label: "Deny", value: "deny" },
    ],
  },
} satisfies EventDraft;

/** A call that waits for its approval. */
function asked(
  of: { turnId: string; member: Name },
  call: Pick<Extract<EventDraft, { type: "tool_call_start" }>, "name" | "kind" | "args">,
  request: Extract<EventDraft, { type: "ui_request" }>,
): EventDraft[] {
  const toolCallId = `${of.turnId}-asked`;
  return [
    { type: "tool_call_start", ...of, toolCallId, ...call },
    { ...request, turnId: of.turnId, toolCallId },
  ];
}

const KEYS = {
  type: "ui_request",
  requestId: "r3",
  member: "claude",
  timeoutMs: 900_000,
  default: null,
  request: {
    method: "select",
    title: "Which of these keys are live?",
    options: [
      { label: "Only 2026", value: "2026" },
      { label: "Both", value: "both" },
    ],
  },
} satisfies EventDraft;

/** Newest first. */
export function makeSessions(cwd: string): readonly MadeSession[] {
  return [liveSession(cwd), ...waitingSessions(cwd), doneSession(cwd), changedSession(cwd), ...olderSessions(cwd)];
}

function liveSession(cwd: string): MadeSession {
  const claude = { turnId: "j1", member: "claude" as const };
  const codex = { turnId: "j2", member: "codex" as const };
  const gemini = { turnId: "j3", member: "gemini" as const };
  const question = "After a deploy some jobs run twice. Find the cause and propose the smallest safe fix.";
  const running = { toolCallId: "g2", name: "run", args: {}, title: "pnpm test claim", kind: "execute" } as const;
  const drafts: EventDraft[] = [
    ...begin("Jobs run twice", cwd, question),
    ...[claude, codex, gemini].map(({ turnId, member }) => turnOf(turnId, member)),
    ...call(claude, 1, "read", "src/worker/shutdown.ts"),
    ...call(claude, 2, "read", "src/lease/release.ts"),
    ...call(claude, 3, "search", "releaseAll("),
    { type: "text_delta", ...claude, segmentId: "a", text: LEASES },
    ...call(codex, 1, "read", "src/claim/claim.sql"),
    ...call(codex, 2, "execute", "pnpm test worker"),
    { type: "text_delta", ...codex, segmentId: "a", text: ORDER },
    ...call(gemini, 1, "read", "src/worker/shutdown.ts"),
    { type: "tool_call_start", ...gemini, ...running },
    {
      type: "tool_output_delta",
      ...gemini,
      toolCallId: "g2",
      text: "claim › takes one row ✓\nclaim › skips locked ✓\n",
    },
  ];
  return { id: "jobs", agoMs: 0, drafts };
}

function waitingSessions(cwd: string): MadeSession[] {
  const claude = whole("d0", "claude", WAIT, 48_000);
  const codex = { turnId: "d1", member: "codex" as const };
  const drain: EventDraft[] = [
    ...begin("Drain before release", cwd, "Give leases back only after the jobs in flight have ended.", [
      "claude",
      "codex",
    ]),
    ...claude.slice(0, 1),
    turnOf("d1", "codex"),
    ...claude.slice(1),
    ...call(codex, 1, "read", "src/worker/shutdown.ts"),
    { type: "text_delta", ...codex, segmentId: "a", text: "The order is wrong; I will drain first." },
    ...asked(codex, { name: "edit", kind: "edit", args: { path: "src/worker/shutdown.ts" } }, EDIT),
  ];
  const flaky = [
    ...begin("Flaky claim.test.ts", cwd, "Why does claim.test.ts fail one run in twenty?"),
    turnOf("f1", "gemini"),
    ...call({ turnId: "f1", member: "gemini" }, 1, "read", "test/claim.test.ts"),
    ...asked(
      { turnId: "f1", member: "gemini" },
      { name: "shell", kind: "execute", args: { command: "pnpm test --filter worker -- --repeat 60" } },
      COMMAND,
    ),
  ];
  const rotate = [
    ...begin("Rotate webhook keys", cwd, "Rotate the webhook keys.", ["claude"]),
    turnOf("k1", "claude"),
    { ...KEYS, turnId: "k1" },
  ];
  return [
    { id: "drain", agoMs: MINUTE_MS, drafts: drain },
    { id: "flaky", agoMs: 4 * MINUTE_MS, drafts: flaky },
    { id: "rotate", agoMs: 9 * MINUTE_MS, drafts: rotate },
  ];
}

/** Three answers to one question, given at the same time. */
function doneSession(cwd: string): MadeSession {
  const question = "Claiming a job takes 200 ms at two million rows. Which index do we need?";
  const turns = [
    whole("i1", "claude", INDEX, 64_000),
    whole("i2", "codex", MEASURED, 82_000),
    whole("i3", "gemini", KEEP, 51_000),
  ];
  const starts = turns.flatMap((turn) => turn.slice(0, 1));
  const rest = turns.flatMap((turn) => turn.slice(1));
  const settled: EventDraft = { type: "council_settled", why: "agreed", rootMessageId: "m1", round: 1 };
  const drafts = [...begin("Which index for claim.sql?", cwd, question), ...starts, ...rest, settled];
  return { id: "index", agoMs: 20 * MINUTE_MS, drafts };
}

/** Its changes are in the repository. */
function changedSession(cwd: string): MadeSession {
  const of = { turnId: "t1", member: "codex" as const };
  const edit = {
    toolCallId: "e1",
    name: "edit",
    args: {},
    title: "Edit src/worker/shutdown.ts",
    kind: "edit",
  } as const;
  const claude = whole("t0", "claude", WAIT, 48_000);
  const drafts: EventDraft[] = [
    ...begin("Add a drain timeout", cwd, "Add a drain timeout of 30 seconds to the shutdown."),
    ...claude.slice(0, 1),
    turnOf("t1", "codex"),
    ...claude.slice(1),
    ...call(of, 1, "read", "src/worker/shutdown.ts"),
    ...call(of, 2, "read", "src/lease/release.ts"),
    { type: "tool_call_start", ...of, ...edit },
    { type: "tool_result", ...of, toolCallId: "e1", ok: true, durationMs: 40, result: "done", diff: SHUTDOWN_DIFF },
    { type: "text_done", ...of, segmentId: "a", text: "Done: `src/worker/shutdown.ts` drains first, at most 30 s." },
    {
      type: "change_report",
      ...of,
      files: [{ path: "src/worker/shutdown.ts", status: "modified", added: 3, removed: 2, diff: SHUTDOWN_DIFF }],
      truncatedCount: 0,
    },
    ended("t1", "codex", { durationMs: 41_000, usage: { inputTokens: 9_800, outputTokens: 410, costUsd: 0.06 } }),
    { type: "council_settled", why: "agreed", rootMessageId: "m1", round: 1 },
    { type: "minutes", by: "claude", rootMessageId: "m1", text: MINUTES },
  ];
  return { id: "timeout", agoMs: 65 * MINUTE_MS, drafts };
}

function olderSessions(cwd: string): MadeSession[] {
  return ["Backoff with jitter?", "Drop Node 20 from CI", "Dead-letter API name"].map((title, at) => ({
    id: `older${at}`,
    agoMs: DAY_MS + at * 60 * MINUTE_MS,
    drafts: [...begin(title, cwd, title), ...whole("o1", "claude", "Yes.", 9_000)],
  }));
}

/** Appends them to the host; the last event of each is as old as it says. */
export function appendSessions(host: FakeHost, sessions: readonly MadeSession[]): void {
  for (const { id, agoMs, drafts } of sessions) {
    const events = stamped(drafts);
    const last = Date.now() - agoMs;
    host.append(
      id,
      events.map((event, at) => Object.assign(event, { sessionId: id, ts: last - (events.length - 1 - at) * 1_000 })),
    );
  }
}
