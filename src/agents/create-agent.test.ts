import { expect, test } from "vitest";
import { settle, startAgent } from "../../test/agents/agent-probe.ts";
import { AgentKind, type MemberSpec } from "../protocol/index.ts";
import { createAgentFactory, createLazyAgent } from "./create-agent.ts";
import { lazyKinds } from "./kinds.ts";
import { createProcessRecords } from "./process/tracking/process-records.ts";
import { chooseProcessList } from "./process/list/choose-process-list.ts";

const NAMES = ["scout", "historian", "critic"];
const createAgent = createAgentFactory(
  NAMES.map((name) => ({ name, load: () => Promise.reject(new Error("never loaded")) })),
);
const setup = { sessionId: "session", cwd: "/", writable: false };

/** A session of a later version may have an unknown kind. */
const kind = "someday" as AgentKind;

test("a member of an unknown kind is unavailable: each turn ends errored with the reason", async () => {
  const table = await startAgent(createAgent({ name: "someone", kind }, setup));
  expect(await table.run("hello")).toEqual({
    type: "turn_done",
    turnId: "turn-1",
    outcome: "errored",
    reason: "unsupported",
    error: {
      code: "unsupported",
      message: 'Member "someone" did not answer: kind someday is not supported by this version.',
      hint: "Use an embedded member instead (scout, historian, critic).",
    },
  });
  await table.agent.close();
});

test("an unavailable member keeps the port's contract: one end per turn, none after close", async () => {
  const table = await startAgent(createAgent({ name: "someone", kind }, setup));
  table.ask("one", "one");
  table.agent.interrupt();
  table.agent.answer("unknown", { result: null, error: null });
  expect(table.events).toEqual([]);
  await table.agent.close();
  await table.agent.close();
  table.ask("two", "two");
  await settle();
  expect(table.events.map((event) => event.type === "turn_done" && event.turnId)).toEqual(["one"]);
});

test("an unknown embedded member is reported by name, with the available ones", async () => {
  const table = await startAgent(createAgent({ name: "poet", kind: "embedded", model: "sonnet" }, setup));
  expect((await table.run("hello")).error).toEqual({
    code: "unsupported",
    message: 'Member "poet" (model "sonnet") did not answer: unknown embedded member.',
    hint: "Embedded members are: scout, historian, critic. Name one as the member's name or model.",
  });
});

test("without embedded members none is suggested", async () => {
  const createAlone = createAgentFactory([]);
  const hints: (string | undefined)[] = [];
  for (const spec of [{ name: "someone", kind }, { name: "scout", kind: "embedded" } as const]) {
    const table = await startAgent(createAlone(spec, setup));
    hints.push((await table.run("hello")).error?.hint);
    await table.agent.close();
  }
  expect(hints).toEqual(["Update roundtable.", "This build has no embedded members."]);
});

const capabilities = lazyKinds.claude.capabilities({ name: "a", kind: "claude" });

test("capabilities declared for a kind equal those of its loaded agent", async () => {
  const records = createProcessRecords({ dataDir: "/nowhere", processes: chooseProcessList() });
  const setup = { sessionId: "s", cwd: "/", writable: false, records };
  const specs: MemberSpec[] = [
    ...AgentKind.options.map((kind): MemberSpec => ({ name: "one", kind, baseUrl: "http://127.0.0.1:1/v1" })),
    { name: "one", kind: "acp", command: ["gemini", "--acp"] },
    { name: "one", kind: "acp", command: ["/usr/bin/opencode", "acp"] },
    { name: "one", kind: "acp", command: ["agent", "acp"] },
    { name: "one", kind: "cursor", command: ["cursor-agent", "-p"] },
  ];
  for (const spec of specs) {
    // An acp member needs a command.
    if (spec.kind === "embedded" || (spec.kind === "acp" && spec.command === undefined)) continue;
    const kind = lazyKinds[spec.kind];
    const agent = await kind.load(spec, setup);
    expect([spec.kind, spec.command, kind.capabilities(spec)]).toEqual([spec.kind, spec.command, agent.capabilities]);
    await agent.close();
  }
});

test("an agent whose code cannot be loaded ends each turn errored; one closed while it loads reports nothing", async () => {
  const load = () => Promise.reject(new Error("no such file"));
  const table = await startAgent(createLazyAgent({ member: "ada", capabilities, load }));
  expect(await table.run("hello")).toMatchObject({ outcome: "errored", error: { code: "not_started" } });
  await table.agent.close();
  const loading = Promise.withResolvers<never>();
  const late = createLazyAgent({ member: "ada", capabilities, load: () => loading.promise });
  const events: unknown[] = [];
  const started = late.start((event) => void events.push(event));
  const closed = late.close();
  loading.reject(new Error("gone"));
  await Promise.all([started, closed]);
  late.send({ kind: "turn", turnId: "t", text: "x", attachments: [] });
  await settle();
  expect(events).toEqual([]);
});
