import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPsList, chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { killOrphans, findOrphans } from "../../../src/agents/process/tracking/orphans.ts";
import { killMarked, makeDataDir, markedProcesses, removeDataDir, startFake, survivors } from "./start-fake.ts";

function freshDataDir(): string {
  const dataDir = makeDataDir();
  onTestFinished(() => {
    killMarked(dataDir);
    removeDataDir(dataDir);
  });
  return dataDir;
}

/** Starts the host program, waits until its members work, and kills it as a crash would. */
async function hostThatDies(dataDir: string): Promise<void> {
  const program = path.join(import.meta.dirname, "programs", "host-with-fakes.ts");
  const host = spawn(process.execPath, [program, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => host.once("exit", resolve));
  await new Promise((resolve, reject) => {
    host.stdout.once("data", resolve);
    host.once("exit", () => reject(new Error("the host ended before its members worked")));
  });
  host.kill("SIGKILL");
  await exited;
}

test.each([
  ["/proc", chooseProcessList()],
  ["ps", createPsList()],
] as const)(
  "[A72] after kill -9 of a host the next one finds its processes and ends them all (%s)",
  async (_name, processes) => {
    const dataDir = freshDataDir();
    await hostThatDies(dataDir);
    const own = await startFake({ fake: "answers", member: "own", dataDir });
    await own.run("hello");
    const orphans = await findOrphans(dataDir, processes);
    expect(orphans.length).toBeGreaterThanOrEqual(4);
    expect(orphans.map((one) => one.member)).toContain("ignores-signals");
    expect(orphans.every((one) => one.hostPid > 0 && one.command !== "")).toBe(true);

    const { ended, left } = await killOrphans(dataDir, processes);
    expect(left).toEqual([]);
    expect(ended.length).toBeGreaterThanOrEqual(orphans.length);
    expect(markedProcesses(dataDir).map((one) => path.basename(one.command))).toEqual(["answers.mjs"]);
    expect(await findOrphans(dataDir, processes)).toEqual([]);
    expect(readdirSync(path.join(dataDir, "run")).map((name) => name.split("-")[0])).toEqual(["own"]);
    expect(await own.run("still there", "turn-2")).toMatchObject({ outcome: "completed" });
    await own.agent.close();
    expect(await survivors(dataDir)).toEqual([]);
    expect(readdirSync(path.join(dataDir, "run"))).toEqual([]);
  },
);

test("[A73] a process that merely got a recorded pid, or whose host lives, is left alone", async () => {
  const dataDir = freshDataDir();
  const bystander = spawn("sleep", ["600"], { stdio: "ignore", detached: true });
  onTestFinished(() => void bystander.kill("SIGKILL"));
  const processes = chooseProcessList();
  const fake = await startFake({ fake: "slow", dataDir });
  fake.ask("1000");
  await fake.next("text_delta");
  const [file = ""] = readdirSync(path.join(dataDir, "run"));
  const record = JSON.parse(readFileSync(path.join(dataDir, "run", file), "utf8"));
  const row = (await processes.rows()).find((one) => one.pid === bystander.pid);
  const deadHost = record.marker.replace(/:\d+-\d+-/, ":1-999999999-");
  const forged = { ...record, pid: bystander.pid, start: (row?.start ?? 0) - 1, marker: deadHost };
  writeFileSync(path.join(dataDir, "run", "x-000000000001.process.json"), JSON.stringify(forged));
  writeFileSync(
    path.join(dataDir, "run", "x-000000000002.process.json"),
    JSON.stringify({ ...forged, start: row?.start, bootId: "another boot" }),
  );
  writeFileSync(path.join(dataDir, "run", "x-000000000003.process.json"), "not a record");
  expect(await killOrphans(dataDir)).toEqual({ ended: [], left: [] });
  expect(bystander.exitCode ?? bystander.signalCode).toBe(null);
  expect(markedProcesses(dataDir)).toHaveLength(1);
  await fake.agent.close();
});

test("a record is there while the program runs, for its owner only, also under umask 000, and goes with it", async () => {
  const dataDir = freshDataDir();
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  mkdirSync(path.join(dataDir, "run"), { mode: 0o777 });
  const fake = await startFake({ fake: "answers", member: "ada", dataDir });
  await fake.run("hello");
  const [file = "", ...others] = readdirSync(path.join(dataDir, "run"));
  expect(others).toEqual([]);
  expect(file).toMatch(/^ada-[0-9a-f]{12}\.process\.json$/);
  const modes = ["", file].map((name) => statSync(path.join(dataDir, "run", name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  expect(JSON.parse(readFileSync(path.join(dataDir, "run", file), "utf8"))).toEqual({
    version: 1,
    pid: markedProcesses(dataDir)[0]?.pid,
    start: expect.any(Number),
    table: "proc",
    bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    marker: expect.stringMatching(/^[0-9a-f]{16}:\d+-\d+-proc-[0-9a-f]{8}:ada:[0-9a-f]{12}$/),
    member: "ada",
    hostPid: process.pid,
    ts: expect.any(Number),
  });
  await fake.agent.close();
  expect(readdirSync(path.join(dataDir, "run"))).toEqual([]);
});
