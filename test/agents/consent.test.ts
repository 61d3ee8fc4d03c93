/** A member that nothing guards, in a real session: nobody gives it a turn before the user agreed. */
import { expect, onTestFinished, test } from "vitest";
import { createApprover } from "../../src/cli/ask/approver.ts";
import { Question } from "../../src/cli/ask/question.ts";
import type { AgentFactory } from "../../src/agents/index.ts";
import type { EventOf, EventType, Guard } from "../../src/protocol/index.ts";
import { connect, listen, newDataDir, openHost, until } from "../host/open-host.ts";
import { SETTINGS } from "../host/scripted-agent.ts";
import { createFake, survivors } from "./process/start-fake.ts";

const PI = { name: "pi", kind: "acp" as const, command: ["pi"] };

async function sit(guard: Guard, { writable = false, fake = "answers" } = {}) {
  const dataDir = newDataDir();
  const agentFactory: AgentFactory = (spec, setup) => createFake({ fake, member: spec.name, dataDir, setup, guard });
  const open = async () => {
    const host = await openHost(dataDir, { agentFactory });
    return { host, client: await connect(host, "me") };
  };
  let now = await open();
  onTestFinished(() => now.host.close());
  const settings = { ...SETTINGS, order: ["pi"], writable };
  const { sessionId } = await now.client.create({ cwd: dataDir, title: "t", settings, members: [PI] });
  let received = await listen(now.client, sessionId);
  let sent = 0;
  const all = <Type extends EventType>(type: Type) =>
    received.events.filter((event): event is EventOf<Type> => event.type === type);
  return {
    dataDir,
    sessionId,
    anotherClient: () => connect(now.host),
    all,
    text: () =>
      all("text_delta")
        .map(({ text }) => text)
        .join(""),
    command: (command: Parameters<typeof now.client.command>[1]) => now.client.command(sessionId, command),
    send: async (text: string) => {
      sent += 1;
      await now.client.command(sessionId, { type: "send", text, clientMessageId: `m${sent}` });
    },
    answer: async (result: boolean) => {
      const requestId = all("ui_request").at(-1)?.requestId ?? "";
      await now.client.command(sessionId, { type: "answer", requestId, result });
    },
    ended: (count: number) => until("the turn's end", () => all("turn_end").length === count),
    asked: (count: number) => until("the question", () => all("ui_request").length === count),
    async restart() {
      await now.host.close();
      now = await open();
      received = await listen(now.client, sessionId);
    },
  };
}

test("a program that exits at once fails the compaction without a wait", async () => {
  const probe = await sit("unguarded", { fake: "dies-at-once" });
  await probe.send("one");
  await probe.ended(1);
  expect(probe.all("turn_end")).toMatchObject([{ outcome: "errored", error: { code: "crashed" } }]);
});

test("an unguarded member gets no turn in a read-only session before one approval", async () => {
  const probe = await sit("unguarded");
  await probe.send("one");
  await probe.asked(1);
  expect(probe.all("ui_request")[0]).toMatchObject({
    member: "pi",
    default: false,
    request: {
      method: "confirm",
      title: "Let pi work in this read-only session?",
      message: "pi runs commands and changes files without asking, and nothing on this machine can stop it.",
      opts: { consent: "unguarded" },
    },
  });
  expect(probe.text()).toBe("");
  await probe.answer(true);
  await probe.ended(1);
  expect(probe.text()).toContain("one");
  await probe.send("two");
  await probe.ended(2);
  await probe.restart();
  await probe.send("three");
  await probe.ended(3);
  expect(probe.all("turn_end").map(({ outcome }) => outcome)).toEqual(["completed", "completed", "completed"]);
  expect(probe.all("ui_request")).toHaveLength(1);
});

test("without approval the turn ends errored, its program exits, and the next turn asks again", async () => {
  const probe = await sit("unguarded");
  await probe.send("one");
  await probe.asked(1);
  await probe.answer(false);
  await probe.ended(1);
  expect(probe.all("turn_end")[0]).toMatchObject({
    outcome: "errored",
    error: {
      code: "unguarded",
      message: expect.stringContaining("nothing prevents it from changing files in this read-only session"),
      hint: expect.stringMatching(/--allow-unguarded pi.*agents\.pi\.unguarded to "allow"/),
    },
  });
  expect(await survivors(probe.dataDir)).toEqual([]);
  await probe.send("two");
  await probe.asked(2);
  await probe.command({ type: "interrupt", scope: "all" });
  await probe.ended(2);
  expect(probe.all("turn_end")[1]?.outcome).toBe("interrupted");
  expect(probe.text()).toBe("");
});

test("who agreed to one member has not agreed to the next one of that name", async () => {
  const probe = await sit("unguarded");
  await probe.send("one");
  await probe.asked(1);
  await probe.answer(true);
  await probe.ended(1);
  await probe.command({ type: "remove_member", member: "pi" });
  await probe.command({ type: "add_member", spec: PI });
  await probe.send("two");
  await probe.asked(2);
  expect(probe.all("turn_end")).toHaveLength(1);
});

test.each([
  ["unguarded", true],
  ["own_mode", false],
  ["asks_first", false],
  ["sandbox", false],
] as const)("nothing is asked about a member whose guard is %s when writable is %s", async (guard, writable) => {
  const probe = await sit(guard, { writable });
  await probe.send("one");
  await probe.ended(1);
  expect(probe.all("ui_request")).toEqual([]);
  expect(probe.all("member_guard")).toMatchObject([{ member: "pi", guard }]);
  expect(probe.all("turn_end")[0]?.outcome).toBe("completed");
});

test.each([
  [["pi"], { exit_code: 0, members: { pi: { outcome: "completed", guard: { kind: "unguarded" } } } }],
  [undefined, { exit_code: 1, members: { pi: { outcome: "errored", error: { code: "unguarded" } } } }],
])("a script agrees with --allow-unguarded %j, and gets a hint without it", async (allowUnguarded, result) => {
  const probe = await sit("unguarded");
  const warned: string[] = [];
  const question = new Question({
    client: await probe.anotherClient(),
    output: { events() {}, show() {}, end() {}, abandon() {} },
    startMs: 0,
    warn: (line) => warned.push(line),
    approver: await createApprover(),
    allowUnguarded,
  });
  const told = await question.ask({ sessionId: probe.sessionId, isNew: false }, { text: "one" });
  expect(told).toMatchObject(result);
  const error = told.members["pi"]?.error;
  if (allowUnguarded !== undefined) expect([error, warned]).toEqual([null, []]);
  else expect(error?.hint).toMatch(/--allow-unguarded pi.*agents\.pi\.unguarded to "allow"/);
});
