import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import type { Agents } from "../../agents/index.ts";
import { startOrphanSweep } from "./startup-recovery.ts";

const orphan = { pid: 4711, start: 1, sinceTs: 0, member: "ada", hostPid: 12, command: "sleep" };

function sweep(endOrphans: Agents["endOrphans"]) {
  const clock = createManualClock();
  const warnings: string[] = [];
  let calls = 0;
  const counted = () => {
    calls += 1;
    return endOrphans();
  };
  const running = startOrphanSweep({ endOrphans: counted, warn: (sentence) => warnings.push(sentence), clock });
  return { clock, warnings, running, calls: () => calls };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

test("[H50] the search for orphans runs once, half a second after the start", async () => {
  const { clock, warnings, running, calls } = sweep(async () => ({ ended: [orphan], left: [] }));
  clock.advance(499);
  expect(calls()).toBe(0);
  clock.advance(1);
  await settle();
  expect(calls()).toBe(1);
  await running.close();
  expect({ calls: calls(), warnings }).toEqual({ calls: 1, warnings: [] });
});

test("[H50] a host that closes before that searches while it closes", async () => {
  const { running, calls } = sweep(async () => ({ ended: [], left: [] }));
  await running.close();
  expect(calls()).toBe(1);
});

test("surviving orphans and a failed search are reported in one sentence each, without throwing", async () => {
  const two = sweep(async () => ({ ended: [], left: [orphan, { ...orphan, pid: 4712 }] }));
  await two.running.close();
  expect(two.warnings).toEqual(["processes 4711, 4712 of an earlier run could not be ended; see roundtable doctor"]);
  const failing = sweep(() => Promise.reject(new Error("ps did not answer")));
  await failing.running.close();
  expect(failing.warnings).toEqual(["orphaned processes of an earlier run could not be listed: ps did not answer"]);
});

test("closing waits for the search no longer than 1.5 s", async () => {
  const { clock, running } = sweep(() => new Promise(() => {}));
  let isClosed = false;
  const closed = running.close().then(() => (isClosed = true));
  clock.advance(1_499);
  await settle();
  expect(isClosed).toBe(false);
  clock.advance(1);
  await closed;
});
