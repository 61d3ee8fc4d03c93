/** Subagents of the built-in agent, over real HTTP: a conversation inside a turn. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../src/agents/index.ts";
import { createHandClock } from "../hand-clock.ts";
import { calls, delta, text, type ModelRequest, type CallScript, type Step } from "../fakes/model-server.ts";
import { startOpenAi, type OpenAiProbe } from "./start-openai.ts";
import { patient } from "../../patience.ts";

const spawn = (task: string, name?: string): CallScript => ({
  name: "spawn_subagent",
  args: { task, ...(name === undefined ? {} : { name }) },
});
const asked = ({ messages }: ModelRequest) => messages.findLast((message) => message.role === "user")?.content ?? "";
const hasResult = ({ messages }: ModelRequest) => messages.at(-1)?.role === "tool";
const results = ({ messages }: ModelRequest) => messages.flatMap((one) => (one.role === "tool" ? [one.content] : []));
const offered = ({ tools }: ModelRequest) => tools.map((tool) => tool.function.name);

/** Answers each conversation by its task; "go" is the member's own. */
function play(probe: OpenAiProbe, scripts: Record<string, (asked: ModelRequest) => readonly Step[]>): void {
  probe.server.answer((one) => scripts[asked(one)]?.(one) ?? text("ok"));
}
/** What came up inside, by the path of subagents it came through. */
function within(events: readonly AgentEvent[], name: string): AgentEvent[] {
  const ids = new Set(
    events.flatMap((one) => (one.type === "subagent_start" && one.name === name ? [one.subagentId] : [])),
  );
  return events.flatMap((one) => (one.type === "subagent_event" && ids.has(one.subagentId) ? [one.event] : []));
}
const lastAsk = (probe: OpenAiProbe, task: string) => probe.server.requests.findLast((one) => asked(one) === task)!;

test("two subagents work side by side with the same tools, and their reports are the results of the calls", async () => {
  const probe = await startOpenAi({ files: { "a.txt": "alpha", "b.txt": "beta" } });
  const look = (file: string) => (one: ModelRequest) =>
    hasResult(one)
      ? text(`It says ${results(one)[0]}.`)
      : [delta({ content: "I look. " }), ...calls({ name: "read", args: { path: file } })];
  const both = Promise.withResolvers<void>();
  let begun = 0;
  play(probe, {
    go: (one) => (hasResult(one) ? text("Both done.") : calls(spawn("read a", "first"), spawn("read b"))),
    "read a": (one) => [{ wait: meet() }, ...look("a.txt")(one)],
    "read b": (one) => [{ wait: meet() }, ...look("b.txt")(one)],
  });
  // Neither is answered before both have asked.
  function meet(): Promise<void> {
    if (++begun >= 2) both.resolve();
    return both.promise;
  }
  expect((await probe.run("go")).outcome).toBe("completed");
  expect(probe.text()).toBe("Both done.");
  expect(results(lastAsk(probe, "go"))).toEqual(["It says alpha.", "It says beta."]);
  expect(probe.all("subagent_start").map(({ name, task }) => [name, task])).toEqual([
    ["first", "read a"],
    ["subagent 1", "read b"],
  ]);
  expect(probe.all("subagent_start").map((one) => one.nativeToolId)).toEqual(
    probe.all("tool_call_start").map((one) => one.nativeId),
  );
  expect(probe.all("subagent_done").map(({ outcome, text: said, usage }) => ({ outcome, said, usage }))).toEqual(
    expect.arrayContaining(
      ["It says alpha.", "It says beta."].map((said) => ({
        outcome: "completed",
        said,
        usage: { inputTokens: 20, outputTokens: 4 },
      })),
    ),
  );
  expect(within(probe.events, "first").flatMap((one) => (one.type === "text_delta" ? [one.text] : []))).toEqual([
    "I look. ",
    "It says alpha.",
  ]);
  expect(lastAsk(probe, "read a").messages[0]?.content).toContain("You are a subagent");
  expect(lastAsk(probe, "go").messages[0]?.content).not.toContain("You are a subagent");
  const hidden = new Set(["plan_update", "agents_message", "ui_set_title"]);
  expect(offered(lastAsk(probe, "read a")).filter((name) => hidden.has(name))).toEqual([]);
  expect(offered(lastAsk(probe, "read a"))).toEqual(
    expect.arrayContaining(["list", "search", "read", "spawn_subagent", "finalize_task"]),
  );
});

test("a subagent may send one more, which can send none, and four are at work at most", async () => {
  const probe = await startOpenAi();
  const gate = Promise.withResolvers<void>();
  const deep = (one: ModelRequest): readonly Step[] => (hasResult(one) ? text("deep done") : calls(spawn("deeper")));
  play(probe, {
    go: (one) => (hasResult(one) ? text("done") : calls(spawn("deep"))),
    deep,
    deeper: () => text("bottom"),
    many: (one) => (hasResult(one) ? text("done") : calls(...[1, 2, 3, 4, 5, 6].map((at) => spawn(`wait ${at}`)))),
    ...Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((at) => [`wait ${at}`, () => [{ wait: gate.promise }, ...text(`waited ${at}`)]]),
    ),
  });
  await probe.run("go");
  expect(offered(lastAsk(probe, "deep"))).toContain("spawn_subagent");
  expect(offered(lastAsk(probe, "deeper"))).not.toContain("spawn_subagent");
  expect(results(lastAsk(probe, "deep"))).toEqual(["bottom"]);
  probe.ask("many", "turn-2");
  await expect
    .poll(() => probe.all("tool_result").filter((one) => !one.ok).length, { timeout: patient(10_000) })
    .toBe(2);
  gate.resolve();
  await probe.next("turn_done", probe.events.length - 1);
  expect(results(lastAsk(probe, "many")).slice(1)).toEqual([
    "waited 1",
    "waited 2",
    "waited 3",
    "waited 4",
    ...[5, 6].map(
      () => "Error: 4 subagents are already running, which is the limit. Wait for one of them, or do it yourself.",
    ),
  ]);
});

test("an interrupt goes down the tree: commands are ended, every one is done before the turn is", async () => {
  const probe = await startOpenAi({
    setup: { writable: true },
    deps: { rules: [{ tool: "shell", verdict: "allow" }] },
  });
  play(probe, {
    go: (one) => (hasResult(one) ? text("no") : calls(spawn("a"))),
    a: (one) => (hasResult(one) ? text("no") : calls(spawn("b"))),
    b: () => calls({ name: "shell", args: { command: "echo $$ > pid; echo begun; sleep 60" } }),
    next: (one) => text(`${one.messages.length}`),
  });
  probe.ask("go");
  const begun = () => JSON.stringify(probe.events).includes('"begun');
  await expect.poll(begun, { timeout: patient(10_000) }).toBe(true);
  const pid = Number(await readFile(path.join(probe.cwd, "pid"), "utf8"));
  probe.agent.interrupt();
  expect((await probe.next("turn_done")).outcome).toBe("interrupted");
  expect(probe.events.at(-1)?.type).toBe("turn_done");
  const dones = (list: readonly AgentEvent[]): string[] =>
    list.flatMap((one) =>
      one.type === "subagent_done" ? [one.outcome] : one.type === "subagent_event" ? dones([one.event]) : [],
    );
  expect(dones(probe.events)).toEqual(["interrupted", "interrupted"]);
  await expect.poll(() => isAlive(pid), { timeout: patient(10_000) }).toBe(false);
  expect((await probe.run("next", "turn-2")).outcome).toBe("completed");
  const messages = lastAsk(probe, "next").messages;
  expect(messages.map((one) => one.role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("one that fails, runs out of calls or of time is an error that its sender sees and goes on from", async () => {
  const clock = createHandClock();
  const probe = await startOpenAi({
    deps: { clock, limits: { subagentToolCallsMax: 1, attemptsMax: 1, repliesOverBudgetMax: 0 } },
  });
  const hung = Promise.withResolvers<void>();
  play(probe, {
    go: (one) =>
      hasResult(one) ? text("I go on.") : calls(spawn("fail", "f"), spawn("loop", "l"), spawn("hang", "h")),
    fail: () => [{ status: 401, body: { error: { message: "no" } } }],
    loop: () => calls({ name: "list" }, { name: "list" }),
    hang: () => (hung.resolve(), [delta({ content: "half" }), { hang: true }]),
  });
  probe.ask("go");
  await hung.promise;
  await expect
    .poll(() => within(probe.events, "h").some((one) => one.type === "text_delta"), { timeout: patient(10_000) })
    .toBe(true);
  await expect.poll(() => probe.all("subagent_done").length, { timeout: patient(10_000) }).toBe(2);
  clock.advance(900_000);
  expect((await probe.next("turn_done")).outcome).toBe("completed");
  expect(results(lastAsk(probe, "go"))).toEqual([
    expect.stringMatching(/^Error: Subagent f did not finish: .* refused the request \(401\)/),
    expect.stringMatching(/^Error: Subagent l did not finish: .* kept calling tools after its 1 tool calls/),
    "Error: Subagent h did not finish: it took too long. Its last text: half",
  ]);
  expect(probe.all("subagent_done").map((one) => one.outcome)).toEqual(["errored", "errored", "timed_out"]);
  expect(probe.text()).toBe("I go on.");
});

test("what a subagent wants to do is asked for as anything else, and the answer reaches it", async () => {
  const probe = await startOpenAi({ setup: { writable: true } });
  play(probe, {
    go: (one) => (hasResult(one) ? text("done") : calls(spawn("write it", "w"))),
    "write it": (one) =>
      hasResult(one)
        ? calls({ name: "finalize_task", args: { summary: "Written." } })
        : calls({ name: "write", args: { path: "a.txt", content: "x\n" } }),
  });
  probe.ask("go");
  const findRequest = () => within(probe.events, "w").find((one) => one.type === "request");
  await expect.poll(findRequest, { timeout: patient(10_000) }).toBeDefined();
  const request = findRequest();
  if (request?.type === "request") probe.agent.answer(request.callId, { result: "allow", error: null });
  expect((await probe.next("turn_done")).outcome).toBe("completed");
  expect(await readFile(path.join(probe.cwd, "a.txt"), "utf8")).toBe("x\n");
  expect(results(lastAsk(probe, "go"))).toEqual(["Written."]);
  expect(within(probe.events, "w").map((one) => one.type)).toContain("change_report");
});
