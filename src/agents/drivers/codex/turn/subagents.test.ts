import { expect, test } from "vitest";
import { running as talking } from "../../../../../test/agents/codex/conversation.ts";
import type { DialectEvent } from "../../../process/dialect.ts";
import { createCodexDialect } from "../parse.ts";
import { SUBAGENT_CHANGES_MAX } from "./subagent-changes.ts";

const dialect = createCodexDialect({ member: "ann", cwd: "/p", isWritable: true, idPrefix: "a.", marker: "mark" });

/** A running turn in thread "t", and the events of Codex's messages. */
function running() {
  let { state } = dialect.begin({ nativeSessionId: undefined });
  const events: DialectEvent[] = [];
  const said: unknown[] = [];
  const hear = (message: object): void => {
    const step = dialect.parse(state, JSON.stringify(message));
    state = step.state;
    events.push(...(step.events ?? []));
    said.push(...(step.write ?? []).map((line) => JSON.parse(line) as unknown));
  };
  state = dialect.encodeTurn(state, { kind: "turn", turnId: "turn-1", text: "hello", attachments: [] }).state;
  hear({ id: "a.1", result: { thread: { id: "t", cwd: "/p" } } });
  hear({ id: "a.2", result: { turn: { id: "n" } } });
  events.length = 0;
  said.length = 0;
  const tell = (method: string, params: object): void => hear({ method, params: { turnId: "m", ...params } });
  const ask = (id: number, threadId: string, itemId: string): void =>
    hear({ id, method: "item/fileChange/requestApproval", params: { threadId, turnId: "m", itemId } });
  return { events, said, tell, ask };
}

const change = (path: string) => ({ path, kind: { type: "add" }, diff: "x\n" });
const item = (id: string, ...changes: object[]) => ({ type: "fileChange", id, changes });

test("a subagent's edit is approved with its files and is not attached to a call of the member", () => {
  const { events, said, tell, ask } = running();
  tell("item/started", { threadId: "sub", item: item("i", change("/p/a")) });
  tell("item/fileChange/patchUpdated", { threadId: "sub", itemId: "i", changes: [change("/p/b")] });
  ask(1, "sub", "i");
  expect(said).toEqual([]);
  expect(events).toMatchObject([
    { type: "request", request: { tool: "apply_patch", call: JSON.stringify({ changes: [change("/p/b")] }) } },
  ]);
  expect(events[0]).not.toHaveProperty("nativeToolId");
});

test("two threads with items of the same id keep their own changes", () => {
  const { events, tell, ask } = running();
  tell("item/started", { threadId: "one", item: item("i", change("/p/one")) });
  tell("item/started", { threadId: "two", item: item("i", change("/p/two")) });
  ask(1, "one", "i");
  ask(2, "two", "i");
  const calls = events.map((event) => (event.type === "request" && "call" in event.request ? event.request.call : ""));
  expect(calls.map((call) => (JSON.parse(call) as { changes: { path: string }[] }).changes[0]?.path)).toEqual([
    "/p/one",
    "/p/two",
  ]);
});

test("a subagent's edit that is unannounced, finished or forgotten is denied with one warning", () => {
  const { events, said, tell, ask } = running();
  ask(1, "sub", "unheard");
  tell("item/started", { threadId: "sub", item: item("over", change("/p/a")) });
  tell("item/completed", { threadId: "sub", item: item("over", change("/p/a")) });
  ask(2, "sub", "over");
  for (let at = 0; at <= SUBAGENT_CHANGES_MAX; at += 1) {
    tell("item/started", { threadId: "sub", item: item(`i${at}`, change("/p/a")) });
  }
  ask(3, "sub", "i0");
  const refusal = { decision: "decline" };
  expect(said).toMatchObject([1, 2, 3].map((id) => ({ id, result: refusal })));
  const message = "ann asked to change files without saying which ones, and was denied.";
  expect(events).toEqual([{ type: "warning", code: "codex", message }]);
});

test("an interrupt also stops subagents' turns, including later ones, each once", () => {
  const talk = talking().notify("turn/started", { turn: { id: "n" } });
  const begins = (threadId: string, id: string) => talk.notify("turn/started", { threadId, turn: { id } });
  begins("done", "d");
  talk.notify("turn/completed", { threadId: "done", turn: { id: "d", status: "completed" } });
  begins("sub", "s");
  talk.interrupt();
  begins("late", "l");
  expect(talk.sent.map(({ params }) => params)).toEqual([
    { threadId: "t", turnId: "n" },
    { threadId: "sub", turnId: "s" },
    { threadId: "late", turnId: "l" },
  ]);
  talk.receive({ id: "a.4", error: { code: 1, message: "no active turn to interrupt" } });
  expect(talk.ends()).toEqual([]);
  talk.notify("turn/completed", { turn: { id: "n", status: "interrupted" } }).receive({ id: "a.6", result: {} });
  expect(talk.ends()).toEqual([{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }]);
});
