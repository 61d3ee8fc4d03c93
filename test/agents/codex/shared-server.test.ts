import { afterEach, beforeEach, expect, test } from "vitest";
import { impatient, markedProcesses, survivors } from "../process/start-fake.ts";
import { openHost, type CodexHost } from "./codex-host.ts";
import { patient } from "../../patience.ts";

let host: CodexHost;
beforeEach(() => {
  host = openHost();
});
afterEach(async () => {
  await host.close();
});

test("all members of a host share one process, and each receives only its own thread", async () => {
  const names = ["ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal"];
  const tables = await Promise.all(names.map((name) => host.start({ name })));
  const ends = await Promise.all(tables.map((probe, at) => probe.run(`hello from ${names[at]}`)));
  expect(ends.map((end) => end.outcome)).toEqual(names.map(() => "completed"));
  expect(tables.map((probe) => probe.text())).toEqual(names.map((name) => `you said: hello from ${name}`));
  expect(new Set(tables.flatMap((probe) => probe.all("member_session").map((one) => one.nativeSessionId))).size).toBe(
    8,
  );
  expect(host.starts()).toHaveLength(1);
});

test("no process is started before a member has a turn", async () => {
  const probe = await host.start();
  expect(host.starts()).toEqual([]);
  await probe.run("hello");
  expect(host.starts()).toHaveLength(1);
});

test("the process runs until its last member has left", async () => {
  const ann = await host.start({ name: "ann" });
  const bob = await host.start({ name: "bob" });
  await Promise.all([ann.run("hello"), bob.run("hello")]);
  await ann.agent.close();
  expect((await bob.run("are you there?", "two")).outcome).toBe("completed");
  expect(host.starts()).toHaveLength(1);
  await bob.agent.close();
  expect(markedProcesses(host.dataDir)).toEqual([]);
});

test("a member that leaves in mid-turn ends only its own turn and command", async () => {
  const ann = await host.start({ name: "ann" });
  const bob = await host.start({ name: "bob" });
  for (const probe of [ann, bob]) {
    probe.ask("hanging tool");
    await probe.next("tool_call_start");
  }
  await ann.agent.close();
  const sleeping = markedProcesses(host.dataDir).filter(({ command }) => command.includes("sleep 300"));
  expect(sleeping).toHaveLength(1);
  expect(host.log().filter(({ interrupt }) => interrupt !== undefined)).toHaveLength(1);
  bob.agent.interrupt();
  expect((await bob.next("turn_done")).outcome).toBe("interrupted");
  expect((await bob.run("hello", "two")).outcome).toBe("completed");
  expect(host.starts()).toHaveLength(1);
});

test("a member that was let go for idleness comes back to its thread", async () => {
  const probe = await host.start({ nativeSessionId: "known-1", limits: { idleMs: 30 } });
  await probe.run("hello");
  expect(await survivors(host.dataDir)).toEqual([]);
  expect((await probe.run("hello again", "two")).outcome).toBe("completed");
  expect(probe.all("member_session").map((one) => one.nativeSessionId)).toEqual(["known-1", "known-1"]);
});

test("a member with another environment gets a process of its own", async () => {
  const variables = { ...process.env, CODEX_TEST_SETTING: "one" };
  const ann = await host.start({ name: "ann" });
  const bob = await host.start({ name: "bob", environment: { variables } });
  await Promise.all([ann.run("hello"), bob.run("hello")]);
  const seen = host.log().flatMap(({ env }) => (env === undefined ? [] : [env.includes("CODEX_TEST_SETTING")]));
  expect(new Set(seen)).toEqual(new Set([false, true]));
  expect(host.starts()).toHaveLength(2);
});

test("a crash ends every running turn with the reason, and the next turn restarts the process", async () => {
  const ann = await host.start({ name: "ann" });
  const bob = await host.start({ name: "bob" });
  const cid = await host.start({ name: "cid" });
  await cid.run("hello");
  ann.ask("endless");
  await ann.next("text_delta");
  const crashed = await bob.run("crash");
  const beside = await ann.next("turn_done");
  expect([crashed.error, beside.error].map((error) => [error?.code, error?.message, error?.detail])).toEqual([
    [
      "crashed",
      "bob exited before its answer was complete (exit code 101).",
      "thread 'main' panicked^G at src/main.rs",
    ],
    [
      "crashed",
      "ann exited before its answer was complete (exit code 101).",
      "thread 'main' panicked^G at src/main.rs",
    ],
  ]);
  expect(cid.all("turn_done").map(({ outcome }) => outcome)).toEqual(["completed"]);
  const again = await Promise.all([ann.run("hello", "two"), bob.run("hello", "two"), cid.run("hello", "two")]);
  expect(again.map(({ outcome }) => outcome)).toEqual(["completed", "completed", "completed"]);
  expect(host.starts()).toHaveLength(2);
});

test("a server that crashes with every turn is started at most so often, whichever member asks", async () => {
  const limits = { startsMax: 3, startsWindowMs: 60_000 };
  const ann = await host.start({ name: "ann", limits });
  const bob = await host.start({ name: "bob", limits });
  const codes = [];
  for (const [at, probe] of [ann, bob, ann, bob].entries())
    codes.push((await probe.run("crash", `t${at}`)).error?.code);
  expect(codes).toEqual(["crashed", "crashed", "crashed", "crash_loop"]);
  expect(host.starts()).toHaveLength(3);
});

test("kills a server that ignores interrupts; the other turns have the reason", async () => {
  const ann = await host.start({ name: "ann", faults: ["--deaf"], limits: impatient });
  const bob = await host.start({ name: "bob", faults: ["--deaf"], limits: impatient });
  ann.ask("endless");
  await ann.next("text_delta");
  bob.ask("deaf");
  await bob.next("text_delta");
  bob.agent.interrupt();
  expect((await bob.next("turn_done")).outcome).toBe("interrupted");
  expect((await ann.next("turn_done")).error?.code).toBe("crashed");
  expect((await bob.run("hello", "two")).outcome).toBe("completed");
  expect(host.starts()).toHaveLength(2);
});

/** A process that was started or killed shows it a moment later. */
const POLLED = { timeout: patient(20_000), interval: 20 };

test("a stop cleans the background terminals of the thread and ends its running command, not the others'", async () => {
  const ann = await host.start({ name: "ann" });
  const bob = await host.start({ name: "bob" });
  for (const probe of [ann, bob]) {
    probe.ask("hanging tool");
    await probe.next("tool_call_start");
  }
  const sleeping = () => markedProcesses(host.dataDir).filter(({ command }) => command.includes("sleep 300")).length;
  await expect.poll(sleeping, POLLED).toBe(2);
  ann.agent.interrupt();
  expect((await ann.next("turn_done")).outcome).toBe("interrupted");
  await ann.run("hello", "two");
  await expect.poll(sleeping, POLLED).toBe(1);
  expect(host.log().filter(({ clean }) => clean !== undefined)).toHaveLength(1);
  expect(bob.all("turn_done")).toEqual([]);
});

test("what a command has left behind in a session of its own is gone when the turn has ended", async () => {
  const probe = await host.start();
  expect((await probe.run("daemon")).outcome).toBe("completed");
  expect(markedProcesses(host.dataDir).filter(({ command }) => command.includes("sleep 301"))).toEqual([]);
});

test("ignores messages about other threads and turns, and refuses their requests", async () => {
  const probe = await host.start();
  await probe.run("other threads");
  expect(probe.text()).toBe("refused: true");
  expect(probe.all("host_call")).toEqual([]);
});

test("a subagent whose thread is named only by the call that started it asks as its member", async () => {
  const ann = await host.start({ name: "ann" });
  const bob = await host.start({ name: "bob" });
  await bob.run("hello");
  ann.ask("change of a helper");
  const { callId, request } = await ann.next("request");
  expect(request).toMatchObject({
    method: "approval",
    tool: "apply_patch",
    diff: "--- /dev/null\n+++ /p/made.txt\n@@ -0,0 +1,1 @@\n+x\n",
  });
  ann.agent.answer(callId, { result: "allow", error: null });
  await ann.next("turn_done");
  expect({ text: ann.text(), asked: bob.all("request") }).toEqual({ text: "decided: accept", asked: [] });
});
