/** `/writable on` and `off`: each program is started anew for what it may do now, with its own session, and nobody is cut. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgents, type AgentFactory } from "../../src/agents/index.ts";
import { USD_LIMIT, type EventOf, type EventType, type MemberSpec } from "../../src/protocol/index.ts";
import { connect, listen, newDataDir, openHost, until } from "../host/open-host.ts";
import { SETTINGS } from "../host/scripted-agent.ts";
import type { HostOptions } from "../../src/host/index.ts";
import { createFake, markedProcesses } from "./process/start-fake.ts";

const fake = (name: string, ...args: string[]): string[] => [
  process.execPath,
  path.join(import.meta.dirname, "fakes", name),
  ...args,
];

async function sit(members: readonly MemberSpec[], dataDir: string, options: Partial<HostOptions>) {
  const host = await openHost(dataDir, options);
  onTestFinished(() => host.close());
  const client = await connect(host);
  const limits = { ...SETTINGS.limits, usd: USD_LIMIT };
  const settings = { ...SETTINGS, limits, order: members.map(({ name }) => name) };
  const { sessionId } = await client.create({ cwd: dataDir, title: "t", settings, members: [...members] });
  const { events } = await listen(client, sessionId);
  const all = <Type extends EventType>(type: Type) =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  let sent = 0;
  return {
    all,
    command: (body: Parameters<typeof client.command>[1]) => client.command(sessionId, body),
    write: (writable: boolean) => client.command(sessionId, { type: "set_settings", settings: { writable } }),
    async send(text: string) {
      sent += 1;
      await client.command(sessionId, { type: "send", text, clientMessageId: `m${sent}` });
    },
    ended: (count: number) => until("the turns' ends", () => all("turn_end").length === count),
  };
}

test("each program leaves and comes back with its own session, and what it may do now", async () => {
  const dataDir = newDataDir();
  const log = (name: string): string => path.join(dataDir, `${name}.log`);
  const members: MemberSpec[] = [
    { name: "ann", kind: "claude", command: fake("claude.mjs", `--log=${log("claude")}`) },
    { name: "bob", kind: "codex", command: fake("codex.mjs", `log=${log("codex")}`) },
    { name: "cid", kind: "pi", command: fake("pi.mjs", `--log=${log("pi")}`) },
    { name: "dot", kind: "acp", command: fake("acp.mjs", "--digest", "--log", log("acp")) },
  ];
  const probe = await sit(members, dataDir, { agentFactory: createAgents({ dataDir }).factory });
  await probe.send("the word is teapot");
  await probe.ended(4);
  const before = markedProcesses(dataDir).map(({ pid }) => pid);
  expect((await probe.write(true)).ok).toBe(true);
  await probe.send("and now");
  await probe.ended(8);
  expect(probe.all("turn_end").map(({ outcome }) => outcome)).toEqual(Array(8).fill("completed"));
  // The fake of Codex was asked for its thread, and knows none of a server before it.
  expect(probe.all("warning").map(({ member, code }) => [member, code])).toEqual([["bob", "session_lost"]]);

  const sessions = new Map(probe.all("member_session").map((event) => [event.member, event.nativeSessionId]));
  const starts = (name: string): string[] => argumentsIn(log(name)).map((argv) => argv.join(" "));
  expect(starts("claude")).toHaveLength(2);
  expect(starts("claude")[1]).toContain(`--resume=${sessions.get("ann") ?? ""}`);
  expect(starts("pi")).toHaveLength(2);
  expect(starts("pi")[1]).toContain(`--session-id ${sessions.get("cid") ?? ""}`);
  expect(starts("pi").map((args) => args.includes("--tools"))).toEqual([true, false]);
  const prompts = readFileSync(log("acp"), "utf8").trim().split("\n");
  expect(prompts[1]).toMatch(/and now"$/);
  expect(prompts[1]).not.toContain("The user asks you:\\n\\nthe word is teapot");
  // Codex members share a program; the others' are gone.
  const after = markedProcesses(dataDir).map(({ pid }) => pid);
  expect(after.filter((pid) => before.includes(pid)).length).toBeLessThanOrEqual(1);
  expect(after.length).toBeLessThanOrEqual(before.length);
});

test("a turn that runs is not cut, and the next one is another program's", async () => {
  const dataDir = newDataDir();
  const writables: boolean[] = [];
  const agentFactory: AgentFactory = (spec, setup) => {
    writables.push(setup.writable);
    return createFake({ fake: "answers", member: spec.name, dataDir, setup, guard: "own_mode" });
  };
  const probe = await sit([{ name: "ada", kind: "acp", command: ["ada"] }], dataDir, { agentFactory });
  await probe.send("ask me");
  await until("the request", () => probe.all("ui_request").length === 1);
  const [before] = markedProcesses(dataDir);
  await probe.write(true);
  expect(markedProcesses(dataDir)).toEqual([before]);
  await probe.command({ type: "answer", requestId: probe.all("ui_request")[0]?.requestId ?? "", result: true });
  await probe.ended(1);
  await probe.send("go on");
  await probe.ended(2);
  expect(probe.all("turn_end").map(({ outcome }) => outcome)).toEqual(["completed", "completed"]);
  const after = markedProcesses(dataDir);
  expect([after.length, after[0]?.pid === before?.pid]).toEqual([1, false]);
  expect(writables).toEqual([false, true]);
});

test("a program that rests leaves at once when the session becomes read-only", async () => {
  const dataDir = newDataDir();
  const agentFactory: AgentFactory = (spec, setup) =>
    createFake({ fake: "answers", member: spec.name, dataDir, setup, guard: "own_mode" });
  const probe = await sit([{ name: "ada", kind: "acp", command: ["ada"] }], dataDir, { agentFactory });
  await probe.write(true);
  await probe.send("one");
  await probe.ended(1);
  expect(markedProcesses(dataDir)).toHaveLength(1);
  await probe.write(false);
  await until("its end", () => markedProcesses(dataDir).length === 0);
});

test("a session that must stay read-only says why and what to do, also when it begins", async () => {
  const dataDir = newDataDir();
  const whyNotWritable = (cwd: string): string | undefined =>
    cwd === dataDir ? "It holds the home directory." : undefined;
  const probe = await sit([{ name: "ada", kind: "embedded", model: "scout" }], dataDir, { whyNotWritable });
  expect(await probe.write(true)).toMatchObject({
    ok: false,
    error: { code: "bad_command", message: "It holds the home directory.", hint: expect.stringContaining("-C DIR") },
  });
  expect(probe.all("settings_changed")).toEqual([]);
  const host = await openHost(newDataDir(), { whyNotWritable });
  onTestFinished(() => host.close());
  const client = await connect(host);
  const made = (cwd: string) =>
    client.create({ cwd, title: "t", settings: { ...SETTINGS, writable: true }, members: [] });
  await expect(made(dataDir)).rejects.toMatchObject({ message: "It holds the home directory." });
  await expect(made(newDataDir())).resolves.toBeDefined();
});

function argumentsIn(file: string): string[][] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { argv?: unknown })
    .flatMap(({ argv }) => (Array.isArray(argv) ? [argv as string[]] : []));
}
