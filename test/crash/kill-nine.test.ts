/** `kill -9` at random moments of streaming. The seed is printed; ROUNDTABLE_SEED repeats a run. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFileLog } from "../../src/log/index.ts";
import { created, message } from "../log/drafts.ts";
import { killLoop, notThere } from "./kill-loop.ts";
import { readRawLog, unsettled } from "./raw-log.ts";
import { nodeFiles } from "../../src/log/files/node-files.ts";
import { breakFiles } from "../log/broken-files.ts";

const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);
const SESSION = "01JN0000000000000000000001";

test("[L41] 15 kills at random moments of streaming lose, double or break nothing that was delivered", async () => {
  console.log(`kill -9 seed: ${seed}`);
  expect(await killLoop({ kills: 15, killsPerSession: 5, seed })).toEqual([]);
});

test("the checker of the kill loop notices a lost, doubled, broken and glued record", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-checker-"));
  const log = await openFileLog({ dataDir, sessionId: SESSION });
  await log.append([created(), message("one"), message("two"), message("three")]).committed;
  await log.close();
  const path = join(dataDir, `logs/${SESSION}.jsonl`);
  const whole = readFileSync(path, "utf8");
  const { events, faults } = readRawLog(path);
  expect({ faults, missing: notThere(events, events) }).toEqual({ faults: [], missing: [] });

  const lines = whole.split("\n");
  const damaged = {
    lost: [...lines.slice(0, -2), ""].join("\n"),
    doubled: [lines[0], lines[1], ...lines.slice(1)].join("\n"),
    broken: whole.replace("two", "tvo"),
    glued: whole.replace("\n", ""),
  };
  for (const [name, bytes] of Object.entries(damaged)) {
    writeFileSync(path, bytes);
    const raw = readRawLog(path);
    expect([...raw.faults, ...notThere(events, raw.events)], name).not.toEqual([]);
  }
  rmSync(dataDir, { recursive: true });
});

test("the checker notices a log that went on after half a line because recovery was skipped", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-checker-"));
  const path = join(dataDir, `logs/${SESSION}.jsonl`);
  const first = await openFileLog({ dataDir, sessionId: SESSION });
  await first.append([created(), message("one")]).committed;
  await first.close();
  appendFileSync(path, '{"seq":3,"epoch":1,"id":"half a li');
  const second = await openFileLog({ dataDir, sessionId: SESSION, files: breakFiles(nodeFiles, "skip-recovery") });
  await second.append([message("two")]).committed;
  await second.close();
  expect(readRawLog(path).faults).not.toEqual([]);
  rmSync(dataDir, { recursive: true });
});

test("the checker notices a turn without an end and a tool call without a result", () => {
  const base = { seq: 1, epoch: 1 };
  const open = [
    { ...base, type: "turn_start", turnId: "t" },
    { ...base, type: "tool_call_start", turnId: "t", toolCallId: "c" },
  ];
  expect(unsettled(open)).toEqual(["turn t has 0 ends", "tool call c has 0 results"]);
});
