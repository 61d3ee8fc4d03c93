/** What a session says about the guards of its members, once: that there is no sandbox, and rules that do not hold. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgents, parseRule, type Rule } from "../../src/agents/index.ts";
import { GuardWarnings } from "../../src/agents/guard-warnings.ts";
import type { Agent, AgentEvent } from "../../src/agents/port.ts";
import { ACTS_UNASKED } from "../../src/agents/sandbox/sandbox.ts";
import { NO_CAPABILITIES, type Guard, type MemberSpec, type SessionEvent } from "../../src/protocol/index.ts";
import { connect, listen, newDataDir, openHost, turnsEnded, until } from "../host/open-host.ts";
import { SETTINGS } from "../host/scripted-agent.ts";
import { createFake } from "./process/start-fake.ts";
import { startAgent } from "./agent-probe.ts";

const NOWHERE = "/nonexistent";
const codes = (events: readonly SessionEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === "warning" ? [event.code] : []));

const fake = (name: string): string[] => [process.execPath, path.join(import.meta.dirname, "fakes", name)];

async function ask(mode: "auto" | "require" | "off", times: number): Promise<SessionEvent[]> {
  const dataDir = newDataDir();
  const settings = { mode, write: [], sockets: [] };
  const { factory } = createAgents({ dataDir, sandboxFor: () => ({ settings, mayWorkUnguarded: true }) });
  const environment = { PATH: NOWHERE };
  const host = await openHost(dataDir, { agentFactory: factory, environment });
  onTestFinished(() => host.close());
  const client = await connect(host);
  const members: MemberSpec[] = ["ann", "bob"].map((name) => ({ name, kind: "claude", command: fake("claude.mjs") }));
  const limits = { ...SETTINGS.limits };
  const { sessionId } = await client.create({
    cwd: dataDir,
    title: "t",
    settings: { ...SETTINGS, limits, order: ["ann", "bob"] },
    members,
  });
  const { events } = await listen(client, sessionId);
  for (let turn = 1; turn <= times; turn += 1) {
    await client.command(sessionId, { type: "send", text: "hello", clientMessageId: `m${turn}` });
    await until("the answers", () => turnsEnded(events) === 2 * turn);
  }
  return events;
}

test.skipIf(process.platform === "darwin")(
  "a session says once that there is no sandbox, and how to get one",
  async () => {
    const events = await ask("auto", 2);
    const warnings = events.flatMap((event) =>
      event.type === "warning" && event.code === "no_sandbox" ? [event] : [],
    );
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toMatch(/^Members of this session run without a sandbox: bwrap .* not installed\./);
  },
);

test.skipIf(process.platform === "darwin")(
  "no warning where it is off, and no start where it is required",
  async () => {
    expect(codes(await ask("off", 1))).not.toContain("no_sandbox");
    const events = await ask("require", 1);
    expect(codes(events)).not.toContain("no_sandbox");
    const ends = events.flatMap((event) => (event.type === "turn_end" ? [event] : []));
    expect(ends.map(({ outcome, error }) => `${outcome} ${error?.code ?? ""}`)).toEqual([
      "errored no_sandbox",
      "errored no_sandbox",
    ]);
    expect(ends[0]?.error?.message).toContain("bwrap (bubblewrap) is not installed");
  },
);

const rules = (...texts: string[]): Rule[] => texts.flatMap((text) => parseRule(text, "deny") ?? []);

async function startWithGuard(guard: Guard, denying: readonly Rule[], warnings = new GuardWarnings()) {
  const dataDir = newDataDir();
  const agent = warnings.watch(createFake({ fake: "answers", member: "pi", dataDir, guard }), {
    sessionId: "S",
    member: "pi",
    cwd: dataDir,
    settings: { mode: "off", write: [], sockets: [] },
    PATH: undefined,
    rules: () => denying,
  });
  const probe = await startAgent(agent);
  onTestFinished(() => agent.close());
  await probe.run("one");
  await probe.run("two", "turn-2");
  const at = (type: string): number => probe.events.findIndex((event) => event.type === type);
  return { messages: probe.all("warning").map(({ message }) => message), isBefore: at("warning") < at("text_delta") };
}

test("rules that an unguarded member can evade are named once, before its first turn", async () => {
  const denying = rules("shell: rm *", "edit: a", "edit: b", "edit: c");
  const { messages, isBefore } = await startWithGuard("unguarded", denying);
  expect(messages).toEqual([
    'pi can act without asking, so these deny rules might not stop it: "deny shell: rm *", "deny edit: a", "deny edit: b" and 1 more.',
  ]);
  expect(isBefore).toBe(true);
});

test("warns likewise of a sandboxed member that may act unasked", () => {
  const agent: Agent = {
    capabilities: NO_CAPABILITIES,
    start: async (up) => up({ type: "member_guard", guard: "sandbox", detail: ACTS_UNASKED }),
    send: () => {},
    interrupt: () => {},
    answer: () => {},
    close: async () => {},
  };
  const told: AgentEvent[] = [];
  const settings = { mode: "auto", write: [], sockets: [] } as const;
  const about = {
    sessionId: "S",
    member: "pi",
    cwd: "/",
    settings,
    PATH: undefined,
    rules: () => rules("shell: rm *"),
  };
  void new GuardWarnings().watch(agent, about).start((event) => told.push(event));
  expect(told.map(({ type }) => type)).toEqual(["warning", "member_guard"]);
});

test("no warning for members that ask, or without a deny rule", async () => {
  expect((await startWithGuard("asks_first", rules("shell"))).messages).toEqual([]);
  expect((await startWithGuard("unguarded", [])).messages).toEqual([]);
});
