/** The built-in agent at a real table: what it does, as a session writes it down. */
import { expect, onTestFinished, test } from "vitest";
import { createModelAgent, type ModelAgentDeps } from "../../../src/agents/model/model-agent.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import type { EventOf, EventType, MemberSpec } from "../../../src/protocol/index.ts";
import { createSession } from "../../../src/session/index.ts";
import { createDisk, MemoryLog } from "../../session/memory-log.ts";
import { SETTINGS, type CommandBody } from "../../session/session-run.ts";
import { checkLog } from "../../session/session-checker.ts";
import { calls, delta, startModelServer, text, type ModelRequest } from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";
import { patient } from "../../patience.ts";

async function startModelSession(deps: ModelAgentDeps = {}) {
  const server = await startModelServer();
  const cwd = await scratchTree({ "a.txt": "hello\n" });
  const log = new MemoryLog(createDisk(), { now: () => Date.now() });
  const spec: MemberSpec = { name: "local", kind: "openai", baseUrl: server.url, model: "m1,m2" };
  const session = await createSession({
    log,
    agentFactory: (member, setup) =>
      createModelAgent(member, setup, { ...deps, limits: { retryBaseMs: 1, retryMsMax: 2, ...deps.limits } }),
    clock: systemClock,
    cwd,
    title: "",
    settings: { ...SETTINGS, writable: true, auto_rounds: 0 },
    members: [spec],
  });
  onTestFinished(() => session.close());
  const events = <Type extends EventType>(type: Type) =>
    log.disk.events.filter((event): event is EventOf<Type> => event.type === type);
  const command = (command: CommandBody) => session.command({ ...command, commandId: newId() }, "me");
  const send = (text: string) => command({ type: "send", text, clientMessageId: newId() });
  const until = (type: EventType, count: number) =>
    expect.poll(() => events(type).length, { timeout: patient(10_000) }).toBe(count);
  return { server, log, events, command, send, until };
}

test("in a session every event is valid, and approvals are answered", async () => {
  const { server, log, events, command, send, until } = await startModelSession();
  server.play(
    [delta({ reasoning: "hm" }), delta({ content: "Hal" }), { drop: true }],
    [{ status: 404, body: { error: { message: "no such model" } } }],
    [
      delta({ content: "I look. " }),
      ...calls({ name: "read", args: { path: "a.txt" } }, { name: "write", args: { path: "b.txt", content: "x\n" } }),
    ],
    calls({ name: "plan_update", args: { items: [{ text: "look", status: "completed" }] } }, { name: "agents_list" }),
    calls({ name: "nothing", args: "{" }, { name: "finalize_task", args: { summary: "Done." } }),
  );
  await send("go");
  await until("ui_request", 1);
  const requestId = events("ui_request")[0]?.requestId ?? "";
  expect(await command({ type: "answer", requestId, result: "table_session", error: null })).toMatchObject({
    ok: true,
  });
  await until("turn_end", 1);
  checkLog(log.disk.events, { settled: true });
  expect(events("turn_end").map(({ outcome, error }) => ({ outcome, error }))).toEqual([
    { outcome: "completed", error: undefined },
  ]);
  expect(events("tool_result").map((event) => event.ok)).toEqual([true, true, true, true, false, true]);
  for (const type of [
    "text_retracted",
    "retrying",
    "model_fallback",
    "plan_update",
    "finalize_task",
    "change_report",
    "usage",
  ] as const) {
    expect([type, events(type).length > 0]).toEqual([type, true]);
  }
  expect(events("warning").map(({ code, message }) => ({ code, message }))).toEqual([]);
  expect(events("text_done").map((event) => event.text)).toEqual(["I look. "]);
});

test("in a session a steer joins the running turn, and an interrupt ends it and its command", async () => {
  const gate = Promise.withResolvers<void>();
  const { server, log, events, command, send, until } = await startModelSession({
    rules: [{ tool: "shell", verdict: "allow" }],
  });
  server.play(
    [delta({ content: "I look. " }), { wait: gate.promise }, ...calls({ name: "list" })],
    calls({ name: "shell", args: { command: "echo begun; sleep 60" } }),
    text("next"),
  );
  await send("go");
  await until("text_delta", 1);
  await send("only the tests");
  gate.resolve();
  await until("tool_output_delta", 1);
  expect(events("steering")).toHaveLength(1);
  await command({ type: "interrupt", scope: "all" });
  await until("turn_end", 1);
  await send("and now?");
  await until("turn_end", 2);
  checkLog(log.disk.events, { settled: true });
  expect(events("turn_end").map((event) => event.outcome)).toEqual(["interrupted", "completed"]);
  expect(events("tool_result").map((event) => event.error?.code)).toEqual([undefined, "tool_interrupted"]);
});

test("in a session subagents are turns in the log, and a session grant covers them", async () => {
  const { server, log, events, command, send, until } = await startModelSession();
  const asked = (one: ModelRequest) => one.messages.findLast((message) => message.role === "user")?.content ?? "";
  const hasResult = (one: ModelRequest) => one.messages.at(-1)?.role === "tool";
  const run = calls({ name: "shell", args: { command: "echo made" } });
  server.answer((one) => {
    if (hasResult(one)) return text("done");
    return asked(one).endsWith("go")
      ? calls({ name: "spawn_subagent", args: { task: "run it", name: "runner" } })
      : run;
  });
  await send("go");
  await until("ui_request", 1);
  const [request] = events("ui_request");
  expect(
    await command({ type: "answer", requestId: request?.requestId ?? "", result: "table_session", error: null }),
  ).toMatchObject({ ok: true });
  await until("turn_end", 2);
  await send("now you");
  await until("turn_end", 3);
  checkLog(log.disk.events, { settled: true });
  expect(events("turn_start").map(({ cause, depth, member }) => [cause, depth, member])).toEqual([
    ["user", 0, "local"],
    ["subagent", 1, "local"],
    ["user", 0, "local"],
  ]);
  expect(request?.turnId).toBe(events("turn_start")[1]?.turnId);
  expect(events("subagent_spawned").map(({ name, task }) => [name, task])).toEqual([["runner", "run it"]]);
  expect(events("subagent_result").map(({ outcome, text: said }) => [outcome, said])).toEqual([["completed", "done"]]);
  expect(events("tool_call_update").map((event) => event.detail)).toEqual([
    "Allowed without asking: allowed for this session",
  ]);
  expect(events("tool_result").map((event) => [event.ok, event.result])).toEqual([
    [true, "made"],
    [true, "done"],
    [true, "made"],
  ]);
});
