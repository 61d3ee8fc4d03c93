/**
 * The conversation that the design's screens show, as a log: an invented repository, "tidepool", and three members with
 * invented models.
 */
import type { DraftOf, EventDraft, SessionEvent } from "../../../src/protocol/index.ts";
import { CAPABILITIES, created, ended, joined, said, SETTINGS, started } from "../../generate/drafts.ts";

export const QUESTION = "After a deploy some jobs run twice. Why, and what is the smallest safe fix?";
/** When the session begins. Later moments count in seconds from here. */
export const BEGIN_TS = Date.UTC(2026, 2, 3, 9, 0, 0);

export const CWD = "/home/ada/tidepool";
export const SESSION_ID = "01KJS8VQ9TIDEP00LTIDEP00L1";

type Tool = Pick<DraftOf<"tool_call_start">, "name" | "kind" | "args" | "title">;
type Result = Omit<Partial<DraftOf<"tool_result">>, "type" | "turnId" | "member" | "toolCallId">;

/** A log that grows second by second. */
export class Story {
  readonly #events: SessionEvent[] = [];
  #second = 0;
  #calls = 0;

  get events(): readonly SessionEvent[] {
    return this.#events;
  }

  get now(): number {
    return BEGIN_TS + this.#second * 1000;
  }

  /** The time of what is added next, in seconds from the beginning; never earlier than what is there. */
  at(second: number): this {
    this.#second = Math.max(second, this.#second);
    return this;
  }

  after(seconds: number): this {
    return this.at(this.#second + seconds);
  }

  add(...drafts: readonly EventDraft[]): this {
    for (const draft of drafts) {
      const seq = this.#events.length + 1;
      this.#events.push({ seq, epoch: 1, id: `event-${seq}`, ts: this.now, sessionId: SESSION_ID, ...draft });
    }
    return this;
  }

  text(member: string, text: string): this {
    const turnId = this.turnOf(member);
    const segmentId = `${turnId}-text-${this.#events.length}`;
    return this.add({ type: "text_delta", turnId, member, segmentId, text });
  }

  thinking(member: string, text: string): this {
    const segment = { turnId: this.turnOf(member), member, segmentId: `thinking-${this.#events.length}` };
    return this.add({ type: "thinking_start", ...segment }, { type: "thinking_delta", ...segment, text });
  }

  /** Starts a call and returns its id. */
  call(member: string, tool: Tool): string {
    this.#calls += 1;
    const toolCallId = `call-${this.#calls}`;
    this.add({ type: "tool_call_start", turnId: this.turnOf(member), member, toolCallId, ...tool });
    return toolCallId;
  }

  output(member: string, toolCallId: string, text: string): this {
    return this.add({ type: "tool_output_delta", turnId: this.turnOf(member), member, toolCallId, text });
  }

  result(member: string, toolCallId: string, result: Result = {}): this {
    return this.add({ type: "tool_result", turnId: this.turnOf(member), member, toolCallId, ok: true, ...result });
  }

  /** Calls that follow one another and take `seconds` together. */
  work(member: string, seconds: number, ...tools: readonly (Tool | { tool: Tool; result: Result })[]): this {
    for (const one of tools) {
      const { tool, result } = "tool" in one ? one : { tool: one, result: {} };
      const id = this.call(member, tool);
      this.result(member, id, { durationMs: seconds * 1000, ...result });
    }
    return this;
  }

  /** Only a message to everyone has rounds. */
  start(member: string, messageId: string, rest: Partial<DraftOf<"turn_start">> = {}): this {
    const isForAll = this.#events.some(
      (event) => event.type === "user_message" && event.messageId === messageId && event.toAll,
    );
    return this.add(
      started(`${member}-${messageId}`, member, {
        messageIds: [messageId],
        rootMessageId: messageId,
        ...(isForAll ? { round: 1 } : {}),
        ...rest,
      }),
    );
  }

  end(member: string, seconds: number, costUsd: number, rest: Partial<DraftOf<"turn_end">> = {}): this {
    const usage = { inputTokens: 9_000, outputTokens: 900, costUsd };
    return this.add(ended(this.turnOf(member), member, { durationMs: seconds * 1000, usage, ...rest }));
  }

  /** What the running turn of a member has cost so far. */
  spent(member: string, costUsd: number): this {
    const usage = { inputTokens: 9_000, outputTokens: 500, costUsd };
    return this.add({ type: "usage", turnId: this.turnOf(member), member, usage });
  }

  context(member: string, leftPercent: number): this {
    const window = 200_000;
    return this.add({ type: "context_update", member, used: window * (1 - leftPercent / 100), window, measured: true });
  }

  turnOf(member: string): string {
    const open = this.#events.findLast((event) => event.type === "turn_start" && event.member === member);
    if (open?.type !== "turn_start") throw new Error(`${member} has no turn`);
    return open.turnId;
  }
}

export const read = (file: string): Tool => ({ name: "read", kind: "read", args: { path: file } });
export const search = (pattern: string): Tool => ({ name: "search", kind: "search", args: { pattern, path: "src" } });
export const shell = (command: string): Tool => ({ name: "shell", kind: "execute", args: { command } });
export const edit = (path: string): Tool => ({ name: "edit", kind: "edit", args: { path } });
export const fetch = (url: string): Tool => ({ name: "fetch", kind: "other", args: { url } });

export const files = (count: number): Tool[] => Array.from({ length: count }, (_, at) => read(`src/file-${at}.ts`));
export const searches = (count: number): Tool[] => Array.from({ length: count }, (_, at) => search(`lease_${at}`));
export const commands = (count: number): Tool[] =>
  Array.from({ length: count }, (_, at) => shell(`npm run step-${at}`));

const capabilities = { ...CAPABILITIES, effort: ["low", "medium", "high"] };

export const MEMBERS = [
  { name: "claude", kind: "claude", model: "opus-4.8", effort: "high" },
  { name: "codex", kind: "codex", model: "gpt-5.6", effort: "medium" },
  { name: "gemini", kind: "acp", model: "gemini-3-pro" },
] as const;

interface SeatedOptions {
  readonly title?: string;
  readonly writable?: boolean;
  readonly cwd?: string;
  /** This member takes no message while it works. */
  readonly unsteerable?: string;
  readonly guard?: DraftOf<"member_guard">["guard"];
}

/** The session with its members, before the first message. */
export function seated(rest: SeatedOptions = {}): Story {
  const { title = "Jobs run twice after a deploy", writable = false, cwd = CWD, unsteerable, guard = "sandbox" } = rest;
  const limits = { ...SETTINGS.limits, usd: 5, session: { usd: 5 } };
  const story = new Story().add(created({ title, cwd, settings: { ...SETTINGS, writable, limits } }));
  for (const spec of MEMBERS) {
    const { effort: _, ...fixed } = capabilities;
    const able = "effort" in spec ? capabilities : fixed;
    const own = spec.name === unsteerable ? { ...able, steer: false } : able;
    story.add(joined(spec.name, { spec, capabilities: own }));
  }
  for (const { name } of MEMBERS) story.add({ type: "member_guard", member: name, guard });
  return story;
}

export function ask(story: Story, messageId: string, text: string, to: readonly string[] = []): Story {
  return story.add(said(messageId, [...to], { text, toAll: to.length === 0 }));
}

export const CLAUDE = `**The worker gives its lease back while the handler is still running.**

On SIGTERM \`stop()\` releases the lease first (src/worker.ts:88) and waits for the handler afterwards. In between the row is free, so a worker of the new release claims it.

1. \`stop()\` sets \`draining\` and releases every lease.
2. The new process polls, finds \`lease_until\` null and claims the job.
3. The old handler finishes and commits as well.

The smallest safe fix is to swap two lines:

\`\`\`ts
async stop(): Promise<void> {
  this.draining = true;
  await this.running.settled(GRACE);
  await this.lease.release();
}
\`\`\`

Keep \`GRACE\` below the platform's kill timeout: 30 s in deploy/worker.yaml:19, so 25 s leaves room for the release.

Renewal adds to it: the timer in src/lease.ts:57 shares the event loop with the handler, so a handler that blocks for`;

/** What has come of it when the narrower screens are drawn. */
export const CLAUDE_AT_100 = CLAUDE.slice(0, CLAUDE.indexOf(" for the release."));
export const CLAUDE_AT_80 = CLAUDE.slice(0, CLAUDE.indexOf("\n\nKeep"));
export const CLAUDE_AT_40 =
  "The smallest safe fix is to swap two lines: wait for the handler first, then give the lease back. Keep `GRACE` below the platform's kill timeout:";

export const CLAUDE_END = " 15 s loses its lease without any deploy.";

const CODEX_TABLE = `**Release before drain, src/worker.ts:84.** Reproduced with two workers and a handler of 2 s:

| order | double runs |
|:--|--:|
| release, then drain | **7 of 10** |
| drain, then release | **0 of 10** |`;

export const CODEX = `${CODEX_TABLE}

Now the same with the lines swapped, and once more with a worker that is killed instead of stopped.`;

export const CODEX_DONE = `${CODEX_TABLE}

The fix is four lines. I would also fence the commit, so that a late worker cannot write even if its lease is gone:

\`\`\`sql
update jobs set state = $1
 where id = $2
   and lease_id = $3  -- fence
\`\`\`

Renewal is not a second cause: \`release()\` clears the timer before anything else (src/lease.ts:63).`;

export const GEMINI =
  "I see the order in `stop()`, but it does not explain the double runs on Sunday, when nothing was deployed. Before I answer I want to know who decides that a lease has run out.";

export const GEMINI_THINKING =
  "Two clocks are involved, the worker's and the database's. lease.ts:41 asks Date.now(), the update in postgres.ts:112 asks the database";

export const GEMINI_DONE = `**Two causes, one of them older than the deploy.**

- The lease is released before the handler ends (src/worker.ts:88).
- Expiry is compared with the local clock: \`expiresAt < Date.now()\` in src/lease.ts:41. A host that is 2 s ahead steals jobs at any time.

Fix both: drain first, and let Postgres decide with \`lease_until < now()\`. The second change is one line in src/store/postgres.ts:112 and needs no migration.

I have not run the tests.`;

/** The first message of the tall screen, with its three short answers. */
export function earlierMessage(story: Story): Story {
  ask(story, "earlier", "How does a job get from enqueue() to a worker?");
  for (const { name } of MEMBERS) story.start(name, "earlier");
  story.work("claude", 5, ...files(5));
  story.work("codex", 6, ...files(4), ...commands(1));
  story.work("gemini", 3, ...files(3));
  story
    .after(15)
    .text(
      "gemini",
      "A job is a row; a worker owns it for as long as `lease_until` lies in the future. Enqueueing takes one statement, claiming takes one, and both run in a transaction of their own.",
    );
  story.end("gemini", 15, 0.02);
  story
    .after(4)
    .text(
      "codex",
      "`enqueue()` → insert → `notify` → `Worker.poll()` → claim → handler. If the notification is lost, the poll every 5 s finds the job (src/worker.ts:40).\n\nIt can be lost in one place only: a handler that throws after its last retry and has no dead-letter queue.",
    );
  story.end("codex", 19, 0.04);
  story
    .after(5)
    .text(
      "claude",
      "**Through one row in `jobs`.** src/store/postgres.ts:31 inserts it and sends `notify tidepool`; every idle worker wakes up and runs the claim query.\n\nThe claim is `for update skip locked`, so two workers never wait for each other (src/store/postgres.ts:74).",
    );
  return story.end("claude", 24, 0.06).after(10);
}

/** Three members answer the question; 31 seconds have passed. */
export function streaming(story: Story = seated(), claude = CLAUDE): Story {
  const begun = story.now;
  ask(story, "question", QUESTION);
  for (const { name } of MEMBERS) story.start(name, "question");
  story.work("claude", 8, ...files(6), ...searches(2));
  story.work("codex", 14, ...files(4), ...commands(2));
  story.work("gemini", 4, ...files(5));
  story.after(20).text("claude", claude).text("codex", CODEX).text("gemini", GEMINI);
  story.after(8);
  const id = story.call("codex", shell("npx vitest run test/shutdown.test.ts"));
  const earlier = Array.from({ length: 14 }, (_, at) => `  ✓ case ${at}\n`).join("");
  story.output("codex", id, `${earlier}✓ starts a job once                  41 ms\n`);
  story.output("codex", id, "✓ renews the lease while it runs    212 ms\n✓ starts a job once over a restart   2.3 s\n");
  story.thinking("gemini", GEMINI_THINKING);
  story.context("claude", 82).context("codex", 91).context("gemini", 96);
  story.spent("claude", 0.12).spent("codex", 0.06).spent("gemini", 0.03);
  return story.at((begun - BEGIN_TS) / 1000 + 31);
}

/** All three have answered. */
export function answered(story: Story = seated()): Story {
  ask(story, "question", QUESTION);
  for (const { name } of MEMBERS) story.start(name, "question");
  story.work("claude", 8, ...files(6), ...searches(2));
  story.work("codex", 21, ...files(4), ...commands(3));
  story.work("gemini", 4, ...files(5));
  story.at(47).text("gemini", GEMINI_DONE).end("gemini", 47, 0.05);
  story
    .at(52)
    .text("claude", CLAUDE + CLAUDE_END)
    .end("claude", 52, 0.19);
  story.at(68).text("codex", CODEX_DONE).end("codex", 68, 0.14);
  story.context("claude", 78).context("codex", 88).context("gemini", 95);
  return story;
}
