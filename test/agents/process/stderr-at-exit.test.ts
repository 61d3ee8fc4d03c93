/** What a dying program said on its standard error reaches the turn, whichever of its pipes breaks first. */
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createProcessRecords, type ProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { makeDataDir, removeDataDir, startFake, survivors, type FakeOptions, type FakeProbe } from "./start-fake.ts";
import { patient } from "../../patience.ts";

const left: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(left.splice(0).map((leave) => leave())));

async function start(fake: string, options: Partial<FakeOptions> = {}): Promise<FakeProbe> {
  const started = await startFake({ fake, ...options });
  left.push(async () => {
    await started.leave();
    expect(await survivors(started.dataDir)).toEqual([]);
    removeDataDir(started.dataDir);
  });
  return started;
}

/** Longer than words need through a pipe. */
const REPORTED_MS = patient(100);

/** Writing down a process takes until its first words were heard. */
function slowRecords(): { records: ProcessRecords; dataDir: string } {
  const dataDir = makeDataDir();
  const records = createProcessRecords({ dataDir, processes: chooseProcessList() });
  return {
    dataDir,
    records: {
      ...records,
      async add(record) {
        while (!existsSync(path.join(dataDir, "has-spoken"))) await sleep(5);
        await sleep(REPORTED_MS);
        return records.add(record);
      },
    },
  };
}

test("a program that printed its reason before the first turn and exits: the turn has it", async () => {
  const fake = await start("dies-when-asked", slowRecords());
  const end = await fake.run("hello");
  expect([end.outcome, end.reason, end.error?.detail]).toEqual(["errored", "crashed", "the licence has expired"]);
});

test("a program that dies at once in every turn says why in every turn", async () => {
  const fake = await start("dies-at-once");
  const ends = [await fake.run("one", "one"), await fake.run("two", "two")];
  expect(ends.map(({ error }) => error?.detail)).toEqual(["the licence has expired", "the licence has expired"]);
});

test("a program that prints its reason only when stopped: the turn has it", async () => {
  // It may take its time to say so before the next signal.
  const killSequence = {
    interruptMs: 0,
    sigintMs: patient(60_000),
    sigtermMs: patient(60_000),
    sigkillMs: patient(2_000),
  };
  const fake = await start("says-why-when-stopped", { limits: { killSequence } });
  const end = await fake.run("x".repeat(3_000_000));
  expect([end.outcome, end.reason, end.error?.detail]).toEqual(["errored", "input_closed", "the licence has expired"]);
});
