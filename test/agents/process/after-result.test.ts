/** A program of one turn has answered and does not leave: how long it is waited for. */
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createProcessAgent } from "../../../src/agents/process/process-agent.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";
import { jsonLineDialect } from "./json-line-dialect.ts";
import { CAPABILITIES, FAKES, makeDataDir, markedProcesses, removeDataDir, shortLimits } from "./start-fake.ts";

async function start(fake: string, clock: HandClock): Promise<AgentProbe & { dataDir: string }> {
  const dataDir = makeDataDir();
  const agent = createProcessAgent({
    member: "ada",
    capabilities: CAPABILITIES,
    dialect: jsonLineDialect,
    launch: {
      command: process.execPath,
      args: () => [path.join(FAKES, `${fake}.mjs`)],
      cwd: dataDir,
      env: [],
      lifetime: "turn",
    },
    records: createProcessRecords({ dataDir, processes: chooseProcessList() }),
    limits: { ...shortLimits, postResultMs: 5_000 },
    clock,
  });
  onTestFinished(() => removeDataDir(dataDir));
  return { ...(await startAgent(agent)), dataDir };
}

/** Moves the clock on until the turn is told to be done. */
async function leaveTime(clock: HandClock, probe: AgentProbe): Promise<void> {
  while (probe.all("turn_done").length === 0) {
    clock.advance(100);
    await wait(5);
  }
}

test("after its answer a program has postResultMs to leave: until then it lives and its turn is open, then it is ended", async () => {
  const clock = createHandClock();
  const probe = await start("never-exits", clock);
  probe.ask("hello");
  await probe.next("text_delta");
  // The turn's own two limits are over, the one for leaving has begun.
  while (clock.waiting() !== 1) await wait(5);
  clock.advance(4_999);
  await wait(100);
  expect(probe.all("turn_done")).toEqual([]);
  expect(markedProcesses(probe.dataDir)).toHaveLength(1);
  clock.advance(1);
  await leaveTime(clock, probe);
  expect(probe.all("turn_done")).toEqual([{ type: "turn_done", turnId: "turn-1", outcome: "completed" }]);
  expect(markedProcesses(probe.dataDir)).toEqual([]);
  expect(probe.all("warning")).toEqual([]);
  await probe.agent.close();
});

test("a program that leaves by itself is not waited for any longer", async () => {
  const clock = createHandClock();
  const probe = await start("answers", clock);
  expect((await probe.run("hello")).outcome).toBe("completed");
  expect(clock.monotonic()).toBe(0);
  await probe.agent.close();
});
