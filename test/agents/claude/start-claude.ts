/** Seats the Claude adapter over a fake program (or any other) in a data directory of its own. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Agent } from "../../../src/agents/index.ts";
import { createClaudeAgent } from "../../../src/agents/drivers/claude/adapter.ts";
import type { ProcessLimits } from "../../../src/agents/process/limits.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import { FAKES, makeDataDir, removeDataDir, shortLimits } from "../process/start-fake.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";

export interface ClaudeOptions {
  readonly dataDir?: string;
  readonly isWritable?: boolean;
  readonly nativeSessionId?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly command?: readonly string[];
  readonly env?: readonly string[];
  readonly limits?: Partial<ProcessLimits>;
}

export interface ClaudeProbe extends AgentProbe {
  readonly dataDir: string;
  /** What the fake got: its arguments first, then every line. */
  got(): { argv?: string[]; env?: string[]; line?: string }[];
  leave(): Promise<void>;
}

export function createFakeClaude(options: ClaudeOptions & { dataDir: string }): Agent {
  const { dataDir, isWritable = true, nativeSessionId, model, effort, env } = options;
  const command = [
    ...(options.command ?? [process.execPath, path.join(FAKES, "claude.mjs"), `--log=${logOf(dataDir)}`]),
  ];
  return createClaudeAgent(
    {
      name: "claude",
      kind: "claude",
      command,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(env === undefined ? {} : { env: [...env] }),
    },
    {
      sessionId: "s",
      cwd: dataDir,
      writable: isWritable,
      records: createProcessRecords({ dataDir, processes: chooseProcessList() }),
      ...(nativeSessionId === undefined ? {} : { nativeSessionId }),
    },
    { ...shortLimits, ...options.limits },
  );
}

export async function startClaude(options: ClaudeOptions = {}): Promise<ClaudeProbe> {
  const dataDir = options.dataDir ?? makeDataDir();
  const probe = await startAgent(createFakeClaude({ ...options, dataDir }));
  return {
    ...probe,
    dataDir,
    got: () =>
      readFileSync(logOf(dataDir), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { argv?: string[]; line?: string }),
    async leave() {
      await probe.agent.close();
      if (options.dataDir === undefined) removeDataDir(dataDir);
    },
  };
}

function logOf(dataDir: string): string {
  return path.join(dataDir, "fake-claude.log");
}
