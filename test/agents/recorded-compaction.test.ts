/** What the real programs wrote when they were told to compact, through their dialects. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createClaudeDialect } from "../../src/agents/drivers/claude/parse.ts";
import { createCodexDialect } from "../../src/agents/drivers/codex/parse.ts";
import { createPiDialect } from "../../src/agents/drivers/pi/parse.ts";
import type { Dialect, DialectEvent, Step } from "../../src/agents/process/dialect.ts";

const linesOf = (name: string): string[] =>
  readFileSync(path.join(import.meta.dirname, "traces", "compaction", `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");

/** What comes up from the command to the end, after `before` was heard. */
function play<State>(dialect: Dialect<State>, before: readonly string[], lines: readonly string[]): DialectEvent[] {
  let state = dialect.begin({ nativeSessionId: undefined }).state;
  const events: DialectEvent[] = [];
  const take = (step: Step<State> | undefined): void => {
    state = step?.state ?? state;
    events.push(...(step?.events ?? []));
  };
  for (const line of before) take(dialect.parse(state, line));
  events.length = 0;
  take(dialect.encodeCompact?.(state, undefined));
  for (const line of lines) take(dialect.parse(state, line));
  return events;
}

const shown = (events: readonly DialectEvent[]): DialectEvent[] =>
  events.filter(({ type }) => type !== "status" && type !== "usage" && type !== "context_update");

test("Claude Code's recorded compaction is one with its figures, its summary and its cost, and no words", () => {
  const newUuid = (): string => "44444444-1111-4111-8111-111111111111";
  const dialect = createClaudeDialect({
    newUuid,
    model: undefined,
    isModelLaunched: false,
    isWritable: true,
    cwd: "/p",
  });
  expect(shown(play(dialect, [], linesOf("claude")))).toEqual([
    { type: "member_session", nativeSessionId: "97eac0a1-3715-4bf5-9598-54968d407d1f" },
    {
      type: "compacted",
      native: true,
      before: 1780,
      after: 2558,
      summary: expect.stringMatching(/^This session is being continued[^]*as if the break never happened\.$/),
    },
    { type: "turn_over", outcome: "completed", usage: expect.objectContaining({ costUsd: expect.closeTo(0.016, 2) }) },
  ]);
});

test("Codex's recorded compaction is one with its figures, in the turn that it began by itself", () => {
  const dialect = createCodexDialect({ member: "ann", cwd: "/p", isWritable: true, idPrefix: "a.", marker: "mark" });
  const lines = linesOf("codex").map((line) => JSON.parse(line) as { id?: number; params?: { threadId?: string } });
  const threadId = lines.find(({ params }) => params?.threadId !== undefined)?.params?.threadId ?? "";
  // Our own first call opened the thread, our second began a turn, whose tokens are known.
  const turn = { kind: "turn", turnId: "one", text: "hello", attachments: [] } as const;
  let state = dialect.begin({ nativeSessionId: undefined }).state;
  state = dialect.encodeTurn(state, turn).state;
  const last = { totalTokens: 6688, inputTokens: 6642, outputTokens: 46 };
  for (const message of [
    { id: "a.1", result: { thread: { id: threadId } } },
    { id: "a.2", result: { turn: { id: "t" } } },
    {
      method: "thread/tokenUsage/updated",
      params: { threadId, turnId: "t", tokenUsage: { total: last, last, modelContextWindow: 1_000_000 } },
    },
    { method: "turn/completed", params: { threadId, turn: { id: "t", status: "completed" } } },
  ]) {
    state = dialect.parse(state, JSON.stringify(message)).state;
  }
  const events: DialectEvent[] = [];
  state = dialect.encodeCompact?.(state, undefined).state ?? state;
  for (const line of lines) {
    const step = dialect.parse(state, JSON.stringify(line.id === undefined ? line : { ...line, id: "a.3" }));
    state = step.state;
    events.push(...(step.events ?? []));
  }
  expect(shown(events)).toEqual([
    { type: "compacted", native: true, before: 6688, after: 6833 },
    {
      type: "turn_over",
      outcome: "completed",
      usage: expect.objectContaining({ inputTokens: 6794, outputTokens: 46 }),
    },
  ]);
});

test("Pi's recorded compaction is one with its figures and its summary", () => {
  const dialect = createPiDialect({
    cwd: "/p",
    member: "pi",
    isWritable: true,
    mark: "mark",
    launchModel: () => undefined,
  });
  expect(shown(play(dialect, [], linesOf("pi")))).toEqual([
    {
      type: "compacted",
      native: true,
      before: 639,
      after: 1336,
      summary: expect.stringContaining("Turn Context (split turn)"),
    },
    { type: "turn_over", outcome: "completed", usage: expect.objectContaining({ inputTokens: 320, outputTokens: 6 }) },
  ]);
});
