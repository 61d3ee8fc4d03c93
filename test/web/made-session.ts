/** One session with everything a page can show, as drafts: for looking at each of them, and at all of them at once. */
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, joined, said } from "../generate/drafts.ts";
import { stamped } from "../generate/stamped.ts";
import type { FakeHost } from "./fake-host.ts";

const usage = { inputTokens: 12_400, outputTokens: 830, costUsd: 0.0421 };

export const DIFF = `--- a/src/log/lock.ts
+++ b/src/log/lock.ts
@@ -12,7 +12,9 @@ export function takeLock(path: string): Lock {
   const file = openSync(path, "a");
-  const held = tryLock(file);
-  if (!held) throw new Error("locked");
+  const held = tryLock(file, { waitMs: LOCK_WAIT_MS });
+  if (!held) {
+    throw new RoundtableError("locked", \`\${path} is held by \${holderOf(path)}\`);
+  }
   return { file, path };
 }
`;

export const ANSWER = `The lock is taken twice when two programs start at the same moment.

## What happens

1. \`takeLock\` opens the file and asks for the lock **without waiting**.
2. The first program has not written its record yet, so the second one reads an *empty* holder.

\`\`\`ts
// The record is written before the lock is given out.
export function takeLock(path: string): Lock {
  const held = tryLock(openSync(path, "a"), { waitMs: 250 });
  return held ?? refuse(path);
}
\`\`\`

| case | before | after |
|---|---:|---:|
| two starts at once | 1 in 40 fails | 0 of 10,000 |
| a killed holder | 2.1 s | 0.3 s |

The wait costs $O(n)$ looks at the file; see [the note](https://example.invalid/locks). ![a chart](https://example.invalid/chart.png)
`;

/** A turn of the first round, in answer to the first message. */
export function begun(
  turnId: string,
  member: string,
  rest: Partial<Extract<EventDraft, { type: "turn_start" }>> = {},
): EventDraft {
  return {
    type: "turn_start",
    turnId,
    member,
    cause: "user",
    messageIds: ["m1"],
    rootMessageId: "m1",
    round: 1,
    depth: 0,
    ...rest,
  };
}

function turn(
  turnId: string,
  member: string,
  blocks: readonly EventDraft[],
  end: Partial<Extract<EventDraft, { type: "turn_end" }>> = {},
): EventDraft[] {
  return [
    begun(turnId, member, { model: "model-4" }),
    ...blocks,
    { type: "turn_end", turnId, member, outcome: "completed", durationMs: 4_200, usage, ...end },
  ];
}

function text(turnId: string, member: string, words: string): EventDraft {
  return { type: "text_done", turnId, member, segmentId: `${turnId}-${words.length}`, text: words };
}

function tool(
  turnId: string,
  member: string,
  name: string,
  rest: Partial<Extract<EventDraft, { type: "tool_call_start" }>> & { toolCallId: string },
  result: Partial<Extract<EventDraft, { type: "tool_result" }>> | undefined,
): EventDraft[] {
  const { toolCallId } = rest;
  return [
    { type: "tool_call_start", turnId, member, name, args: {}, ...rest },
    ...(result === undefined
      ? []
      : [
          {
            type: "tool_result",
            turnId,
            member,
            toolCallId,
            ok: true,
            durationMs: 1_300,
            ...result,
          } satisfies EventDraft,
        ]),
  ];
}

/** The beginning that all of them share: three at the table, one question. */
export const opening: readonly EventDraft[] = [
  created({ title: "Why does the lock fail under load?", cwd: "/home/ada/roundtable" }),
  joined("claude"),
  joined("codex"),
  joined("scout"),
  { type: "context_update", member: "claude", used: 48_000, window: 200_000, measured: true },
  { type: "context_update", member: "codex", used: 180_000, window: 200_000, measured: false },
  said("m1", ["claude", "codex", "scout"], {
    text: "Two starts at once sometimes leave both without the lock. Find out why, and mend it.",
    toAll: true,
  }),
];

export const answered: readonly EventDraft[] = [
  ...turn("t1", "claude", [
    { type: "thinking_start", turnId: "t1", member: "claude", segmentId: "th1" },
    {
      type: "thinking_done",
      turnId: "t1",
      member: "claude",
      segmentId: "th1",
      text: "The holder's record may be written too late.",
    },
    ...tool(
      "t1",
      "claude",
      "read",
      { toolCallId: "c1", kind: "read", title: "src/log/lock.ts" },
      { result: "export function takeLock…" },
    ),
    ...tool(
      "t1",
      "claude",
      "read",
      { toolCallId: "c2", kind: "read", title: "src/log/lock.test.ts" },
      { result: "test(…)" },
    ),
    ...tool(
      "t1",
      "claude",
      "run",
      { toolCallId: "c3", kind: "execute", title: "npx vitest run src/log" },
      { result: "12 passed" },
    ),
    text("t1", "claude", ANSWER),
  ]),
  ...turn("t2", "codex", [
    text("t2", "codex", "I would mend the order instead. The change:"),
    ...tool(
      "t2",
      "codex",
      "edit",
      { toolCallId: "c4", kind: "edit", title: "Edit src/log/lock.ts" },
      { result: "done", diff: DIFF },
    ),
    ...tool(
      "t2",
      "codex",
      "run",
      { toolCallId: "c5", kind: "execute", title: "npm test" },
      { ok: false, error: { code: "tool_error", message: "2 tests failed" } },
    ),
    {
      type: "change_report",
      turnId: "t2",
      member: "codex",
      files: [
        { path: "src/log/lock.ts", status: "modified", added: 4, removed: 2, diff: DIFF },
        { path: "src/log/wait.ts", status: "added", added: 31 },
      ],
      truncatedCount: 0,
    },
    {
      type: "finalize_task",
      turnId: "t2",
      member: "codex",
      summary: "The lock waits for its holder; **two** tests still fail.",
    },
  ]),
  ...turn(
    "t3",
    "scout",
    [
      text("t3", "scout", "I looked for callers of `takeLock` and"),
      ...tool(
        "t3",
        "scout",
        "search",
        { toolCallId: "c6", kind: "search", title: "takeLock(" },
        { ok: false, error: { code: "tool_interrupted", message: "interrupted" } },
      ),
    ],
    { outcome: "interrupted", reason: "interrupted" },
  ),
  { type: "output_cancelled", by: "a-client", scope: "own", turnIds: ["t3"] },
];

/** Each of the six states a tool call can be in, an exchange, a subagent and a plan that waits. */
export const worked: readonly EventDraft[] = [
  said("m2", ["claude"], { text: "Plan it with codex." }),
  {
    type: "turn_start",
    turnId: "t4",
    member: "claude",
    cause: "user",
    messageIds: ["m2"],
    rootMessageId: "m2",
    depth: 0,
  },
  ...tool(
    "t4",
    "claude",
    "run",
    { toolCallId: "d1", kind: "execute", title: "npm run bench" },
    {
      result: "first lines…",
      truncated: { totalBytes: 2_400_000, shownBytes: 65_536, blob: { sha256: "a".repeat(64), bytes: 2_400_000 } },
    },
  ),
  {
    type: "agent_message",
    turnId: "t4",
    member: "claude",
    agentExchangeId: "x1",
    to: "codex",
    text: "Does the wait need a limit?",
    wait: true,
  },
  {
    type: "turn_start",
    turnId: "t5",
    member: "codex",
    cause: "exchange",
    messageIds: [],
    parentTurnId: "t4",
    depth: 0,
  },
  text("t5", "codex", "Yes: 250 ms."),
  { type: "turn_end", turnId: "t5", member: "codex", outcome: "completed", durationMs: 900 },
  {
    type: "agent_callback_result",
    turnId: "t4",
    member: "claude",
    agentExchangeId: "x1",
    ok: true,
    text: "Yes: 250 ms.",
  },
  ...tool(
    "t4",
    "claude",
    "agents_message",
    { toolCallId: "d2", kind: "ask", title: "ask codex", agentExchangeId: "x1" },
    { result: "Yes: 250 ms." },
  ),
  {
    type: "subagent_spawned",
    turnId: "t4",
    member: "claude",
    subagentTurnId: "t6",
    name: "looker",
    task: "find all locks",
    depth: 1,
  },
  {
    type: "turn_start",
    turnId: "t6",
    member: "claude",
    cause: "subagent",
    messageIds: [],
    parentTurnId: "t4",
    depth: 1,
  },
  text("t6", "claude", "There are three."),
  { type: "turn_end", turnId: "t6", member: "claude", outcome: "completed", durationMs: 700 },
  {
    type: "subagent_result",
    turnId: "t4",
    member: "claude",
    subagentTurnId: "t6",
    outcome: "completed",
    text: "There are three.",
  },
  {
    type: "plan_update",
    turnId: "t4",
    member: "claude",
    planId: "p1",
    needsDecision: true,
    explanation: "Three steps, in this order.",
    items: [
      { text: "Write the record first", status: "completed" },
      { text: "Wait for the holder", status: "in_progress" },
      { text: "Tell who holds it", status: "pending" },
    ],
  },
  {
    type: "tool_call_start",
    turnId: "t4",
    member: "claude",
    toolCallId: "d3",
    name: "run",
    args: { command: "npm test" },
    title: "npm test",
    kind: "execute",
  },
  { type: "tool_output_delta", turnId: "t4", member: "claude", toolCallId: "d3", text: "test 1 ok\ntest 2 ok\n" },
];

export const minutes: readonly EventDraft[] = [
  { type: "council_settled", why: "agreed", rootMessageId: "m1", round: 2 },
  {
    type: "minutes",
    by: "claude",
    rootMessageId: "m1",
    text: "## Asked\nWhy two starts at once leave both without the lock.\n\n## Agreed\n- The record is written **before** the lock is given out.\n- The wait has a limit of 250 ms.\n\n## Open\n- Two tests on slow disks (codex).",
  },
  {
    type: "council_paused",
    why: "limit",
    limit: "turns",
    message: "The table has taken 40 turns; it goes on when you say so.",
  },
];

export const asking: EventDraft = {
  type: "ui_request",
  requestId: "r1",
  member: "codex",
  timeoutMs: 300_000,
  default: false,
  request: {
    method: "approval",
    title: "Edit a file?",
    tool: "edit",
    call: "src/log/lock.ts",
    callHash: "h",
    diff: DIFF,
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Allow for this session", value: "always" },
      { label: "Deny", value: "deny" },
    ],
  },
};

/** Tells the drafts as the next events of the session. */
export function appendDrafts(host: FakeHost, sessionId: string, drafts: readonly EventDraft[]): void {
  const { seq } = host.transcript(sessionId).head;
  const now = Date.now() - 600_000;
  const events = stamped(drafts, seq).map((event) => Object.assign(event, { sessionId, ts: now + event.seq * 1_000 }));
  host.append(sessionId, events);
}
