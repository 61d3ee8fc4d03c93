/** Seats the Pi adapter over a fake program (or any other) in a data directory of its own. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Agent } from "../../../src/agents/index.ts";
import { createPiAgent } from "../../../src/agents/drivers/pi/adapter.ts";
import type { ProcessLimits } from "../../../src/agents/process/limits.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { FAKES, makeDataDir, removeDataDir, shortLimits } from "../process/start-fake.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";

export interface PiOptions {
  readonly dataDir?: string;
  readonly cwd?: string;
  readonly isWritable?: boolean;
  readonly nativeSessionId?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  readonly limits?: Partial<ProcessLimits>;
}

/** What the fake wrote down of what it got. */
export interface Got {
  readonly argv?: string[];
  readonly env?: string[];
  readonly line?: string;
}

export interface PiProbe extends AgentProbe {
  readonly dataDir: string;
  got(): Got[];
  leave(): Promise<void>;
}

export function createFakePi(options: PiOptions & { dataDir: string }): Agent {
  const { dataDir, isWritable = true, nativeSessionId, model, effort, env } = options;
  const command = [...(options.command ?? [process.execPath, path.join(FAKES, "pi.mjs"), `--log=${logOf(dataDir)}`])];
  return createPiAgent(
    {
      name: "pi",
      kind: "pi",
      command,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(env === undefined ? {} : { env: [...env] }),
    },
    {
      sessionId: "s",
      cwd: options.cwd ?? dataDir,
      writable: isWritable,
      records: createProcessRecords({ dataDir, processes: chooseProcessList() }),
      ...(nativeSessionId === undefined ? {} : { nativeSessionId }),
    },
    { ...shortLimits, ...options.limits },
  );
}

export async function startPi(options: PiOptions = {}): Promise<PiProbe> {
  const dataDir = options.dataDir ?? makeDataDir();
  const lines = () =>
    readFileSync(logOf(dataDir), { encoding: "utf8", flag: "a+" })
      .split("\n")
      .filter((line) => line !== "");
  // Those who sat in this directory before have written there, too.
  const before = lines().length;
  const probe = await startAgent(createFakePi({ ...options, dataDir }));
  return {
    ...probe,
    dataDir,
    got: () =>
      lines()
        .slice(before)
        .map((line) => JSON.parse(line) as Got),
    async leave() {
      await probe.agent.close();
      if (options.dataDir === undefined) removeDataDir(dataDir);
    },
  };
}

function logOf(dataDir: string): string {
  return path.join(dataDir, "fake-pi.log");
}
