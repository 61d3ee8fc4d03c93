import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { probeSandbox } from "../../../src/agents/sandbox/probe.ts";
import { FAKES, makeDataDir, markedProcesses, removeDataDir, survivors } from "../process/start-fake.ts";
import { openHost, type CodexHost } from "./codex-host.ts";

let host: CodexHost;
let home: string;
beforeEach(() => {
  host = openHost();
  home = path.join(host.dataDir, "codex-home");
  mkdirSync(path.join(home, "rules"), { recursive: true });
});
afterEach(async () => {
  await host.close();
});

const environment = (more: Record<string, string> = {}) => ({
  variables: { PATH: process.env["PATH"], HOME: host.dataDir, CODEX_HOME: home, ...more },
});

test("in a read-only session the guard is Codex's own sandbox, once a command was seen to fail in it", async () => {
  const probe = await host.start({ isReadOnly: true, environment: environment() });
  await probe.run("hello");
  expect(probe.all("member_guard")).toEqual([
    { type: "member_guard", guard: "own_mode", detail: "Codex's own read-only sandbox" },
  ]);
  const types = probe.events.map(({ type }) => type);
  expect(types.indexOf("member_guard")).toBeLessThan(types.indexOf("text_delta"));
});

test("without a working sandbox of its own, Codex is unguarded and the reason is reported", async () => {
  const probe = await host.start({ isReadOnly: true, environment: environment(), faults: ["--no-sandbox"] });
  await probe.run("hello");
  expect(probe.all("member_guard")).toMatchObject([
    { guard: "unguarded", detail: "Codex's own sandbox does not work here: bwrap: no namespaces" },
  ]);
});

test.each([
  ["comments only", "# nothing yet\n", ["own_mode", "asks_first"]],
  ["a rule", 'prefix_rule(pattern=["mkdir"], decision="allow")\n', ["unguarded", "unguarded"]],
])("with %s in its rules, which run commands unasked, Codex is reported as unguarded", async (_what, rules, guards) => {
  writeFileSync(path.join(home, "rules", "default.rules"), rules);
  const reading = await host.start({ name: "ann", isReadOnly: true, environment: environment() });
  const writing = await host.start({ name: "bob", environment: environment() });
  await reading.run("hello");
  await writing.run("hello");
  expect([reading, writing].flatMap((probe) => probe.all("member_guard").map(({ guard }) => guard))).toEqual(guards);
});

test("members that may write have another process than those that may not", async () => {
  const reading = await host.start({ name: "ann", isReadOnly: true });
  const writing = await host.start({ name: "bob" });
  await Promise.all([reading.run("hello"), writing.run("hello")]);
  expect(host.starts()).toHaveLength(2);
  const threads = host.log().flatMap(({ thread }) => (thread === undefined ? [] : [thread]));
  const settings = threads.map(({ sandbox, approvalPolicy }) => JSON.stringify([sandbox, approvalPolicy]));
  expect(settings.toSorted()).toEqual(['["read-only","never"]', '["workspace-write","untrusted"]']);
});

test("a thread is opened with the approvals of the user's tool servers narrowed", async () => {
  const FAKE_CODEX_CONFIG = JSON.stringify({ mcp_servers: { hub: { default_tools_approval_mode: "approve" } } });
  const probe = await host.start({ environment: environment({ FAKE_CODEX_CONFIG }) });
  await probe.run("hello");
  const [thread] = host.log().flatMap((record) => record.thread ?? []);
  expect(thread).toMatchObject({
    approvalsReviewer: "user",
    config: { "features.hooks": false, mcp_servers: { hub: { default_tools_approval_mode: "prompt" } } },
  });
});

test("a thread that does not take what it was asked for gets no turn", async () => {
  const probe = await host.start({ faults: ["--lax"] });
  const end = await probe.run("hello");
  expect(end.error?.message).toContain("it does not ask before each command");
  expect(host.log().filter(({ turn }) => turn !== undefined)).toEqual([]);
});

test("reports what Codex runs unasked, and the member is unguarded from then on", async () => {
  const judge = () => ({ verdict: "deny" as const, by: "shell: tail *" });
  const writing = await host.start({ name: "ann", environment: environment() });
  const reading = await host.start({ name: "bob", environment: environment(), isReadOnly: true, judge });
  const text = await Promise.all(
    [writing, reading].map(async (probe) => {
      await probe.run("background");
      return probe.all("warning").flatMap(({ code, message }) => (code === "unasked" ? [message] : []));
    }),
  );
  expect(text).toEqual([
    ["ann ran /bin/bash -lc 'tail -f /dev/null' without asking."],
    ["bob ran /bin/bash -lc 'tail -f /dev/null' without asking, though your rule shell: tail * denies it."],
  ]);
  expect(writing.all("member_guard").map(({ guard }) => guard)).toEqual(["asks_first", "unguarded"]);
  expect(reading.all("member_guard").map(({ guard }) => guard)).toEqual(["own_mode"]);
});

test("what Codex has left running on purpose outlives its turn, and ends with a stop between turns", async () => {
  const probe = await host.start();
  await probe.run("background");
  const running = () => markedProcesses(host.dataDir).filter(({ command }) => command.includes("sleep 302"));
  expect(running()).toHaveLength(1);
  probe.agent.interrupt();
  await expect.poll(running).toEqual([]);
  expect((await probe.run("hello", "two")).outcome).toBe("completed");
  expect(host.starts()).toHaveLength(1);
});

const probed = await probeSandbox({ PATH: process.env["PATH"], cwd: "/" });
const isThere = probed.available && probed.via === "bwrap";
if (!isThere) process.stdout.write("bwrap is missing: Codex is not tried in a sandbox\n");

test.skipIf(!isThere)("in our sandbox Codex's own is off, and each mode has a process of its own", async () => {
  const project = makeDataDir();
  const start = (name: string, isReadOnly: boolean) =>
    host.start({
      name,
      isReadOnly,
      cwd: project,
      command: [process.execPath, path.join(FAKES, "codex.mjs")],
      environment: environment(),
      sandbox: { mode: "require", write: [], sockets: [] },
    });
  const tables = await Promise.all([start("ann", true), start("bob", false)]);
  await Promise.all(tables.map((probe) => probe.run("settings")));
  expect(tables.map((probe) => probe.all("member_guard").map(({ guard }) => guard))).toEqual([
    ["sandbox"],
    ["sandbox"],
  ]);
  const [reading, writing] = tables.map((probe) => JSON.parse(probe.text()) as Record<string, unknown>);
  expect(reading).toMatchObject({ sandbox: "danger-full-access", approvalPolicy: "untrusted" });
  expect(writing).toMatchObject({ sandbox: "danger-full-access", approvalPolicy: "untrusted" });
  const servers = markedProcesses(host.dataDir).filter(({ command }) => command.startsWith(process.execPath));
  expect(servers).toHaveLength(2);
  await Promise.all(tables.map((probe) => probe.agent.close()));
  expect(await survivors(host.dataDir, 0)).toEqual([]);
  removeDataDir(project);
});
