import { expect, test } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { settle, startAgent } from "../../../test/agents/agent-probe.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { createEmbeddedAgent, type Routine } from "./agent.ts";

const NOTHING_USED = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

function seated(routine: Routine, prepare: () => Promise<void> = () => Promise.resolve()) {
  const clock = createHandClock();
  const member = { name: "tester", about: "", prepare, createRoutine: () => routine };
  const agent = createEmbeddedAgent(member, { sessionId: "session", cwd: "/", writable: false }, clock);
  return { clock, agent };
}

test("a routine that returns completes its turn, closes its text and reports zero usage", async () => {
  const { agent } = seated((turn) => turn.write("hello"));
  const table = await startAgent(agent);
  await table.run("hi");
  expect(table.events).toEqual([
    { type: "text_delta", text: "hello" },
    { type: "text_done" },
    { type: "turn_done", turnId: "turn-1", outcome: "completed", usage: NOTHING_USED },
  ]);
});

test("a routine that throws ends its turn errored with an internal error", async () => {
  const { agent } = seated(() => Promise.reject(new TypeError("no such thing")));
  const end = await (await startAgent(agent)).run("hi");
  expect({ ...end, error: { ...end.error, detail: end.error?.detail?.split("\n")[0] } }).toEqual({
    type: "turn_done",
    turnId: "turn-1",
    outcome: "errored",
    reason: "crashed",
    error: {
      code: "crashed",
      message: "Internal error in tester: no such thing",
      hint: "Try again. If it keeps happening, report it with the details.",
      detail: "TypeError: no such thing",
    },
    usage: NOTHING_USED,
  });
});

test("a routine that throws synchronously or throws a non-error ends the turn errored", async () => {
  const { agent } = seated(() => {
    // eslint-disable-next-line no-throw-literal, typescript/only-throw-error -- the fault under test
    throw "just words";
  });
  expect((await (await startAgent(agent)).run("hi")).error?.message).toBe("Internal error in tester: just words");
});

test("an intended error keeps its code and hint", async () => {
  const { agent } = seated(() => Promise.reject(new RoundtableError("busy", "Not now.", { hint: "Later." })));
  expect(await (await startAgent(agent)).run("hi")).toEqual({
    type: "turn_done",
    turnId: "turn-1",
    outcome: "errored",
    reason: "busy",
    error: { code: "busy", message: "Not now.", hint: "Later." },
    usage: NOTHING_USED,
  });
});

test("[A2] a routine that ignores the interrupt is abandoned: the turn ends at once and reports nothing more", async () => {
  const release = Promise.withResolvers<void>();
  let isOver = false;
  const { agent } = seated(async (turn) => {
    await turn.write("busy").catch(() => undefined);
    await release.promise;
    await turn.write("too late").catch(() => undefined);
    isOver = true;
  });
  const table = await startAgent(agent);
  table.ask("hi");
  await table.next("text_delta");
  agent.interrupt();
  expect((await table.next("turn_done")).outcome).toBe("interrupted");
  const closed = agent.close();
  release.resolve();
  await closed;
  expect(isOver).toBe(true);
  expect(table.events.map((event) => event.type)).toEqual(["text_delta", "turn_done"]);
});

test("[A3] close waits a limited time for a routine that ignores its signal", async () => {
  const { agent, clock } = seated(() => new Promise(() => undefined));
  const table = await startAgent(agent);
  table.ask("hi");
  const closed = agent.close();
  await settle();
  expect(table.all("turn_done")).toHaveLength(1);
  clock.advance(1_000);
  await expect(closed).resolves.toBeUndefined();
});

test("[A2] an interrupted turn leaves its text open and settles its tools, finished ones only once", async () => {
  const { agent } = seated(async (turn) => {
    await turn.tool({ name: "quick", args: null }, () => Promise.resolve({ value: 1, result: "done" }));
    await turn.write("partial");
    await Promise.all([
      turn.tool({ name: "slow", args: { n: 1 }, kind: "read" }, () => new Promise<never>(() => undefined)),
      turn.tool({ name: "slow", args: { n: 2 } }, async (tool) => {
        tool.output("half a line");
        await turn.delay(1_000);
        return { value: 2, result: "never" };
      }),
    ]);
  });
  const table = await startAgent(agent);
  table.ask("hi");
  await table.next("tool_output_delta");
  agent.interrupt();
  await table.next("turn_done");
  const message = "The turn ended before this call did.";
  expect(table.events).toEqual([
    { type: "tool_call_start", nativeId: "c1", name: "quick", args: null },
    { type: "tool_result", nativeId: "c1", ok: true, result: "done", durationMs: 0 },
    { type: "text_delta", text: "partial" },
    { type: "text_done" },
    { type: "tool_call_start", nativeId: "c2", name: "slow", args: { n: 1 }, kind: "read" },
    { type: "tool_call_start", nativeId: "c3", name: "slow", args: { n: 2 } },
    { type: "tool_output_delta", nativeId: "c3", text: "half a line" },
    { type: "tool_result", nativeId: "c2", ok: false, error: { code: "tool_interrupted", message } },
    { type: "tool_result", nativeId: "c3", ok: false, error: { code: "tool_interrupted", message } },
    { type: "turn_done", turnId: "turn-1", outcome: "interrupted", reason: "interrupted", usage: NOTHING_USED },
  ]);
});

test("a tool that throws is settled as failed, and the routine may go on", async () => {
  const { agent, clock } = seated(async (turn) => {
    const failing = turn.tool({ name: "break", args: {} }, async (tool) => {
      tool.update("about to break");
      await turn.delay(40);
      throw new Error("broken");
    });
    await failing.catch((thrown: unknown) => turn.write(String(thrown)));
  });
  const table = await startAgent(agent);
  table.ask("hi");
  await table.next("tool_call_update");
  clock.advance(40);
  await table.next("turn_done");
  expect(table.events).toEqual([
    { type: "tool_call_start", nativeId: "c1", name: "break", args: {} },
    { type: "tool_call_update", nativeId: "c1", detail: "about to break" },
    {
      type: "tool_result",
      nativeId: "c1",
      ok: false,
      error: { code: "tool_error", message: "broken" },
      durationMs: 40,
    },
    { type: "text_delta", text: "Error: broken" },
    { type: "text_done" },
    { type: "turn_done", turnId: "turn-1", outcome: "completed", usage: NOTHING_USED },
  ]);
});

test("a turn sent while another runs ends errored, and the running one goes on", async () => {
  const { agent, clock } = seated((turn) => turn.delay(10));
  const table = await startAgent(agent);
  table.ask("hi", "one");
  table.ask("hi", "two");
  const refused = await table.next("turn_done");
  expect([refused.turnId, refused.outcome, refused.error?.code]).toEqual(["two", "errored", "busy"]);
  clock.advance(10);
  const end = await table.next("turn_done", 1);
  expect([end.turnId, end.outcome]).toEqual(["one", "completed"]);
});

test("a turn sent right after an interrupt begins after the end of the interrupted one", async () => {
  const { agent } = seated(async (turn) => {
    await turn.write(turn.text);
    if (turn.text === "first") await turn.delay(1_000);
  });
  const table = await startAgent(agent);
  table.ask("first", "one");
  await table.next("text_delta");
  agent.interrupt();
  table.ask("second", "two");
  await table.next("text_done");
  await settle();
  expect(
    table.events.map((event) => ("text" in event ? event.text : "turnId" in event ? event.turnId : event.type)),
  ).toEqual(["first", "one", "second", "text_done", "two"]);
});

test("a steer that is never consumed is not reported, and a consumed one closes the text before it", async () => {
  const { agent, clock } = seated(async (turn) => {
    await turn.write("before ");
    await turn.delay(10);
    await turn.write(turn.consumeSteers().join("+"));
    await turn.delay(10);
  });
  const table = await startAgent(agent);
  table.ask("hi");
  await table.next("text_delta");
  agent.send({ kind: "steer", messageId: "m1", text: "a" });
  agent.send({ kind: "steer", messageId: "m2", text: "b" });
  await settle();
  clock.advance(10);
  await table.next("steered");
  await settle();
  agent.send({ kind: "steer", messageId: "m3", text: "c" });
  clock.advance(10);
  await table.next("turn_done");
  expect(table.events.slice(0, -1)).toEqual([
    { type: "text_delta", text: "before " },
    { type: "text_done" },
    { type: "steered", messageId: "m1" },
    { type: "steered", messageId: "m2" },
    { type: "text_delta", text: "a+b" },
    { type: "text_done" },
  ]);
});

test("steers beyond the limit stay with the session, and a warning says so", async () => {
  const { agent } = seated(async (turn) => {
    await turn.write("x");
    await turn.delay(10);
  });
  const table = await startAgent(agent);
  table.ask("hi");
  await table.next("text_delta");
  for (let n = 1; n <= 65; n++) agent.send({ kind: "steer", messageId: `m${n}`, text: "." });
  expect((await table.next("warning")).message).toBe(
    "More than 64 messages wait for this turn; message m65 is left for the next one.",
  );
  await agent.close();
});

test("a request is answered only by its own call id, and abandoned when the turn is stopped", async () => {
  const request = { method: "confirm" as const, title: "Sure?", message: "Yes or no." };
  const { agent } = seated(async (turn) => {
    const { result } = await turn.ask(request, { timeoutMs: 500 });
    await turn.write(`got ${JSON.stringify(result)}`);
    await turn.ask(request);
    await turn.write("never");
  });
  const table = await startAgent(agent);
  table.ask("hi");
  expect(await table.next("request")).toEqual({ type: "request", callId: "c1", request, timeoutMs: 500 });
  agent.answer("c2", { result: false, error: null });
  agent.answer("c1", { result: true, error: null });
  await table.next("text_delta");
  await table.next("request", table.events.length);
  agent.interrupt();
  await table.next("turn_done");
  expect(table.text()).toBe("got true");
});

test("a delay uses the injected clock, and its timer is cleared when the turn is stopped", async () => {
  const { agent, clock } = seated((turn) => turn.delay(60_000));
  const table = await startAgent(agent);
  table.ask("hi");
  await settle();
  expect(clock.waiting()).toBe(1);
  agent.interrupt();
  await table.next("turn_done");
  await settle();
  expect(clock.waiting()).toBe(0);
});

test("[A5] every turn ends with the error that prepare rejected with", async () => {
  const { agent } = seated(
    () => Promise.resolve(),
    () => Promise.reject(new RoundtableError("unsupported", "There is no chair.")),
  );
  const table = await startAgent(agent);
  const ends = [await table.run("hi", "one"), await table.run("hi", "two")];
  expect(ends.map((end) => [end.turnId, end.outcome, end.error?.message])).toEqual([
    ["one", "errored", "There is no chair."],
    ["two", "errored", "There is no chair."],
  ]);
});
