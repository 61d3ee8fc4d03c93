/** Longer random runs of the log: random work, random faults, random cuts, and real processes killed at random moments. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import { checkLog, openFileLog } from "../../src/log/index.ts";
import type { EventDraft } from "../../src/protocol/index.ts";
import { delta, message, readAll } from "./drafts.ts";
import { checkHistory, emptyHistory, runScenario, type Cut } from "./history.ts";
import { MemoryFiles, type Fault } from "./memory-files.ts";
import { createRandom } from "./seeded-random.ts";

const RUNS = Number(process.env["LOG_RUNS"] ?? 3000);
const KILLS = Number(process.env["LOG_KILLS"] ?? 300);
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

const effects: readonly Omit<Fault, "at" | "persistent">[] = [
  { effect: "kill" },
  { effect: "short-write", operations: ["write"] },
  { effect: { error: "ENOSPC" }, operations: ["write", "create"] },
  { effect: { error: "EIO" }, operations: ["write", "truncate", "stat", "open"] },
  { effect: { error: "EIO" }, operations: ["datasync"] },
];

function randomSteps(random: () => number): EventDraft[][] {
  return Array.from({ length: 2 + Math.floor(random() * 8) }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
      const text = "ab é".repeat(Math.floor(random() * 60));
      return random() < 0.4 ? message(text) : delta(text);
    }),
  );
}

test(`[L11] ${RUNS} random runs with random faults and cuts, from seed ${SEED}`, async () => {
  console.log(`seed ${SEED}`);
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    const random = createRandom(seed);
    const files = new MemoryFiles();
    const at = 1 + Math.floor(random() * 150);
    const effect = effects[Math.floor(random() * effects.length)] ?? { effect: "kill" };
    files.fault = { ...effect, at, persistent: random() < 0.5 };
    const history = emptyHistory();
    await runScenario(files, history, { steps: randomSteps(random) });
    files.fault = undefined;
    const cut: Cut = random() < 0.5 ? "power" : "kill";
    const after = cut === "power" ? files.powerCut(random) : files.restart();
    expect({ seed, wrong: await checkHistory(after, history, cut) }).toEqual({ seed, wrong: [] });
  }
});

test(`[L10] ${KILLS} processes killed at random moments of appending to one log, from seed ${SEED}`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-kill-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const random = createRandom(SEED);
  const sessionId = newId();
  const program = new URL("append-program.ts", import.meta.url).pathname;
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, [program, dataDir, sessionId, "100000"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    const afterAcks = Math.floor(random() * 200);
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.split("\n").length > afterAcks) setTimeout(() => child.kill("SIGKILL"), random() * 5);
    });
    await new Promise((resolve) => child.on("close", resolve));
    const facts = stdout.slice(0, stdout.lastIndexOf("\n")).split("\n").filter(Boolean);
    for (const fact of facts) {
      const { ack = [], torn = 0 } = JSON.parse(fact) as { ack?: number[]; torn?: number };
      acknowledged = Math.max(acknowledged, ...ack);
      expect(torn).toBe(0);
    }
    const check = await checkLog({ dataDir, sessionId });
    expect({ kill, whole: check.whole, kept: check.lastSeq >= acknowledged }).toEqual({
      kill,
      whole: true,
      kept: true,
    });
  }
  const log = await openFileLog({ dataDir, sessionId });
  const seqs = (await readAll(log)).map(({ seq }) => seq);
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
  await log.close();
});
