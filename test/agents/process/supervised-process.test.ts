import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProgram } from "../../../src/agents/process/launch/find-program.ts";
import { processLimits } from "../../../src/agents/process/limits.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import type { Line } from "../../../src/agents/process/pipes/output-pump.ts";
import {
  spawnSupervised,
  type SpawnOptions,
  type SupervisedProcess,
} from "../../../src/agents/process/supervised-process.ts";
import { createHandClock } from "../hand-clock.ts";
import { settle } from "../agent-probe.ts";
import { makeDataDir, markedProcesses, removeDataDir, shortLimits, survivors } from "./start-fake.ts";

async function shell(
  script: string,
  options: Partial<SpawnOptions> = {},
): Promise<{ program: SupervisedProcess; lines: Line[]; dataDir: string }> {
  const dataDir = makeDataDir();
  const processes = chooseProcessList();
  const records = createProcessRecords({ dataDir, processes });
  const marker = records.marker("sh");
  const lines: Line[] = [];
  const found = findProgram("sh");
  const spawned = await spawnSupervised({
    member: "sh",
    program: found.ok ? found.path : "",
    args: ["-c", script],
    cwd: dataDir,
    env: { PATH: process.env["PATH"] ?? "", ROUNDTABLE_RUN: marker },
    marker,
    processes,
    records,
    limits: shortLimits,
    onLine: (line) => void lines.push(line),
    ...options,
  });
  if (!spawned.ok) throw new Error(spawned.message);
  onTestFinished(async () => {
    await spawned.process.stop();
    expect(await survivors(dataDir)).toEqual([]);
    removeDataDir(dataDir);
  });
  return { program: spawned.process, lines, dataDir };
}

test("with its real limit a program is over at most 2.2 s after its exit, whoever holds the pipe, and its last bytes are kept", async () => {
  const clock = createHandClock();
  const { program, lines } = await shell("echo first; printf last; sleep 600 & exit 7", {
    limits: processLimits,
    clock,
  });
  await program.exited;
  await settle();
  let isOver = false;
  void program.done.then(() => (isOver = true));
  clock.advance(1_999);
  for (let turn = 0; turn < 10; turn++) await settle();
  expect(isOver).toBe(false);
  clock.advance(1);
  expect(await program.done).toEqual({ code: 7, signal: undefined, isDrained: false, stderr: "" });
  expect(lines).toEqual([
    { kind: "line", text: "first", bytes: 5 },
    { kind: "unfinished", text: "last", bytes: 4 },
  ]);
});

test("a program whose pipe nobody holds is over at once", async () => {
  const clock = createHandClock();
  const { program } = await shell("echo one; echo two >&2; exit 0", { limits: processLimits, clock });
  expect(await program.done).toEqual({ code: 0, signal: undefined, isDrained: true, stderr: "two" });
  expect(clock.monotonic()).toBe(0);
});

test("what a program wrote before its time was over is read, also when we were held up until after it", async () => {
  const script = "(echo words; echo why >&2; exec >&- 2>&-; : > written) & exit 7";
  const { program, lines, dataDir } = await shell(script, { limits: { ...processLimits, drainMs: 20 } });
  const heldUp = program.exited.then(() => {
    const endMs = performance.now() + 100;
    while (performance.now() < endMs || !existsSync(path.join(dataDir, "written"))) pauseEverything(5);
  });
  expect(await program.done).toEqual({ code: 7, signal: undefined, isDrained: true, stderr: "why" });
  expect(lines).toEqual([{ kind: "line", text: "words", bytes: 5 }]);
  await heldUp;
});

/** Nothing of this process runs meanwhile. */
function pauseEverything(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("[A69] a program inherits no file but its three streams", async () => {
  // Whoever started this test may have handed files on; those of our own must not be among what a program gets.
  const bare = spawnSync("ls", ["/proc/self/fd"], { encoding: "utf8" }).stdout.trim().split("\n");
  const files = Array.from({ length: 20 }, () => openSync("/dev/null", "r"));
  onTestFinished(() => files.forEach((file) => closeSync(file)));
  const { program, lines } = await shell("ls /proc/self/fd");
  await program.done;
  expect(bare).toEqual(expect.arrayContaining(["0", "1", "2"]));
  expect(lines.map((line) => (line.kind === "line" ? line.text : line.kind))).toEqual(bare);
});

test("a reader that takes its time holds the program back, and what waits stays bounded", async () => {
  const gate = Promise.withResolvers<void>();
  let bytes = 0;
  const onLine = (line: Line): Promise<void> => {
    bytes += line.bytes;
    return gate.promise;
  };
  const { program } = await shell(
    "i=0; while [ $i -lt 400 ]; do head -c 65536 /dev/zero | tr '\\0' x; echo; i=$((i+1)); done; echo written >&2",
    { onLine },
  );
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(program.hasExited).toBe(false);
  expect(program.stderr).toBe("");
  expect(bytes).toBeLessThan(200_000);
  gate.resolve();
  expect(await program.done).toMatchObject({ code: 0, isDrained: true, stderr: "written" });
  expect(bytes).toBe(400 * 65_536);
});

test("writing to an exited program is refused without an effect", async () => {
  const { program } = await shell("exit 0");
  await program.exited;
  const taken = await Promise.all([program.write("x".repeat(100_000)), program.write("more")]);
  expect(taken).toEqual([false, false]);
});

test("a program that never reads may leave only so much unread", async () => {
  const { program } = await shell("sleep 600", { limits: { ...shortLimits, inputBytesMax: 2_000_000 } });
  void program.write("x".repeat(1_900_000));
  expect(await program.write("x".repeat(200_000))).toBe(false);
  expect(await program.inputLost).toMatch(/^it left \d+ bytes of its input unread$/);
});

test("[A52] a tool that ignores SIGTERM in a session of its own goes with the program", async () => {
  const script = "setsid sh -c 'trap \"\" TERM INT HUP; echo deaf; sleep 600 & wait' & sleep 600";
  const { program, lines, dataDir } = await shell(script);
  while (lines.length === 0 || markedProcesses(dataDir).length < 4)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await program.stop()).toMatchObject({ left: [] });
  expect(markedProcesses(dataDir)).toEqual([]);
});

test("[A52] what hides its mark is found by its group, its session and its parents", async () => {
  const script = "env -i PATH=$PATH sleep 600 & env -i PATH=$PATH setsid sleep 601 & sleep 602";
  const { program } = await shell(script);
  const sleeping = async () => {
    const rows = await program.processTree.find();
    const commands = await Promise.all(rows.map((row) => program.processTree.commandOf(row)));
    return commands.filter((command) => command.startsWith("sleep")).sort();
  };
  while ((await sleeping()).length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await sleeping()).toEqual(["sleep 600", "sleep 601", "sleep 602"]);
  const pids = (await program.processTree.find()).map((row) => row.pid);
  expect(pids.length).toBe(4);
  expect((await program.stop()).left).toEqual([]);
  const alive = (await chooseProcessList().rows()).filter((row) => pids.includes(row.pid));
  expect(alive).toEqual([]);
});
