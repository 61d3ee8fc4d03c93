import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createAgents } from "../../src/agents/index.ts";
import { checkDataDir } from "../../src/host/index.ts";
import { leakProcess } from "../agents/leak-process.ts";
import { newDataDir, openHost, until } from "./open-host.ts";

const onUnix = process.platform === "win32" ? test.skip : test;

onUnix("the check lists what dead hosts left running, ends none of it, and calls the directory whole", async () => {
  const dataDir = newDataDir();
  mkdirSync(`${dataDir}/run`, { mode: 0o700 });
  const startTs = Date.now();
  const orphan = leakProcess(dataDir, "ada");
  const startedTs = Date.now();
  const { strays, isWhole, problems } = await checkDataDir(dataDir);
  expect({ strays, isWhole, problems }).toEqual({
    strays: [{ pid: orphan.pid, member: "ada", sinceTs: expect.any(Number), hostPid: orphan.hostPid }],
    isWhole: true,
    problems: [],
  });
  // The system counts in hundredths of a second from a start of the machine that it tells in whole ones.
  expect(strays[0]?.sinceTs).toBeGreaterThan(startTs - 3_000);
  expect(strays[0]?.sinceTs).toBeLessThan(startedTs + 3_000);
  expect(orphan.isRunning()).toBe(true);
});

onUnix("[H50] a host ends what dead hosts of its data directory left running, and nothing of others", async () => {
  const dataDir = newDataDir();
  const orphan = leakProcess(dataDir, "ada");
  const other = leakProcess(newDataDir(), "ada");
  const { factory, endOrphans } = createAgents({ dataDir });
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const host = await openHost(dataDir, { agentFactory: factory, endOrphans, warn });
  await until("the stray to be gone", () => !orphan.isRunning());
  expect({ warnings, isOtherRunning: other.isRunning() }).toEqual({ warnings: [], isOtherRunning: true });
  await host.close();
});

onUnix("[H50] a host that is closed at once ends them, too", async () => {
  const dataDir = newDataDir();
  const orphan = leakProcess(dataDir, "ada");
  const { factory, endOrphans } = createAgents({ dataDir });
  const host = await openHost(dataDir, { agentFactory: factory, endOrphans });
  await host.close();
  expect(orphan.isRunning()).toBe(false);
});
