/** Seats a fake agent program under the real supervisor, in a data directory of its own. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Agent, AgentSetup } from "../../../src/agents/index.ts";
import type { Dialect } from "../../../src/agents/process/dialect.ts";
import { processLimits, type ProcessLimits } from "../../../src/agents/process/limits.ts";
import type { Launch } from "../../../src/agents/process/launch/launch.ts";
import { createProcessAgent } from "../../../src/agents/process/process-agent.ts";
import { createProcessRecords, type ProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import type { ProcessList } from "../../../src/agents/process/list/process-list.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { hashDirectory } from "../../../src/agents/process/tracking/run-marker.ts";
import type { Defect } from "../../../src/agents/process/supervised-process.ts";
import type { Clock } from "../../../src/kit/clock.ts";
import type { Guard } from "../../../src/protocol/index.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";
import { jsonLineDialect, signalsOnlyDialect, type JsonLineState } from "./json-line-dialect.ts";
import { patient } from "../../patience.ts";

export const FAKES = path.join(import.meta.dirname, "..", "fakes");

/** What a program does by itself it may do slowly, on a busy machine; what is forced on it is forced soon. */
export const shortLimits: ProcessLimits = {
  ...processLimits,
  drainMs: 300,
  silenceWarnMs: patient(20_000),
  silenceMs: patient(40_000),
  totalMs: patient(60_000),
  postResultMs: patient(30_000),
  killSequence: { interruptMs: patient(30_000), sigintMs: 150, sigtermMs: 150, sigkillMs: patient(2_000) },
};

/** For programs that are not expected to heed an interrupt, or to leave. */
export const impatient: Pick<ProcessLimits, "postResultMs" | "killSequence"> = {
  postResultMs: 300,
  killSequence: { ...shortLimits.killSequence, interruptMs: 150 },
};

export interface FakeOptions {
  readonly fake: string;
  readonly member?: string;
  readonly lifetime?: Launch["lifetime"];
  readonly limits?: Partial<ProcessLimits>;
  readonly launch?: Partial<Launch>;
  readonly dataDir?: string;
  readonly processes?: ProcessList;
  readonly records?: ProcessRecords;
  readonly defect?: Defect;
  readonly clock?: Clock;
  readonly isDeafToProtocol?: boolean;
  readonly setup?: Pick<AgentSetup, "writable" | "hasAgreed">;
  /** What it reports about itself at its start. */
  readonly guard?: Guard;
}

export const CAPABILITIES = {
  steer: true,
  keepsContext: true,
  tools: true,
  requests: true,
  images: false,
  switchModel: false,
};

export function createFake(options: FakeOptions & { dataDir: string }): Agent {
  const { fake, member = "fake", lifetime = "member", dataDir, defect, clock } = options;
  const processes = options.processes ?? chooseProcessList();
  return createProcessAgent({
    member,
    capabilities: CAPABILITIES,
    dialect: withGuard(options.isDeafToProtocol === true ? signalsOnlyDialect : jsonLineDialect, options.guard),
    setup: options.setup,
    launch: {
      command: process.execPath,
      args: () => [path.join(FAKES, `${fake}.mjs`)],
      cwd: dataDir,
      env: [],
      lifetime,
      ...options.launch,
    },
    records: options.records ?? createProcessRecords({ dataDir, processes }),
    limits: { ...shortLimits, ...options.limits },
    ...(defect === undefined ? {} : { defect }),
    ...(clock === undefined ? {} : { clock }),
  });
}

function withGuard(dialect: Dialect<JsonLineState>, guard: Guard | undefined): Dialect<JsonLineState> {
  if (guard === undefined) return dialect;
  return { ...dialect, begin: () => ({ state: null, events: [{ type: "member_guard", guard }] }) };
}

export interface FakeProbe extends AgentProbe {
  readonly dataDir: string;
  leave(): Promise<void>;
}

export async function startFake(options: FakeOptions): Promise<FakeProbe> {
  const dataDir = options.dataDir ?? makeDataDir();
  const probe = await startAgent(createFake({ ...options, dataDir }));
  return {
    ...probe,
    dataDir,
    async leave() {
      await probe.agent.close();
      if (options.dataDir === undefined) removeDataDir(dataDir);
    },
  };
}

export function makeDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), "roundtable-process-"));
}

export function removeDataDir(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Every living process that carries a mark of this data directory; looks for itself, not through our own tables. */
export function markedProcesses(dataDir: string): { pid: number; command: string }[] {
  const mark = `ROUNDTABLE_RUN=${hashDirectory(dataDir)}:`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, "latin1");
        if (!environment.split("\0").some((entry) => entry.startsWith(mark))) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").trim();
        return [{ pid: Number(name), command }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

/** Ending a process takes the system a moment, and a busy one more of them. */
const GONE_MS_MAX = patient(30_000);

/** Who is still there `withinMs` later; looks again until nobody is. */
export async function survivors(dataDir: string, withinMs = GONE_MS_MAX): Promise<{ pid: number; command: string }[]> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const found = markedProcesses(dataDir);
    if (found.length === 0 || performance.now() > endMs) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** For tests that break a promise on purpose: their mess is theirs to clean. */
export function killMarked(dataDir: string): void {
  for (const { pid } of markedProcesses(dataDir)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was faster.
    }
  }
}
