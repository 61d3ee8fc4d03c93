/** Seats Codex members on the fake app-server, at one host with a data directory of its own. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Agent, AgentSetup } from "../../../src/agents/index.ts";
import { createCodexAgent } from "../../../src/agents/drivers/codex/adapter.ts";
import type { ProcessLimits } from "../../../src/agents/process/limits.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import type { Clock } from "../../../src/kit/clock.ts";
import { FAKES, makeDataDir, removeDataDir, shortLimits } from "../process/start-fake.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";

export interface CodexOptions {
  readonly name?: string;
  readonly faults?: readonly string[];
  readonly env?: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  readonly isReadOnly?: boolean;
  readonly nativeSessionId?: string;
  readonly limits?: Partial<ProcessLimits>;
  readonly clock?: Clock;
  readonly command?: readonly string[];
  readonly environment?: AgentSetup["environment"];
  readonly cwd?: string;
  readonly sandbox?: AgentSetup["sandbox"];
  readonly judge?: AgentSetup["judge"];
}

export interface CodexHost {
  readonly dataDir: string;
  create(options?: CodexOptions): Agent;
  start(options?: CodexOptions): Promise<AgentProbe>;
  /** What the fake wrote down: a line for each start, thread and turn. */
  log(): FakeRecord[];
  /** The processes that were started, in order. */
  starts(): number[];
  close(): Promise<void>;
}

export interface FakeRecord {
  readonly pid: number;
  readonly argv?: string[];
  readonly env?: string[];
  readonly thread?: Record<string, unknown>;
  readonly effort?: string;
  readonly turn?: { text: string; bytes: number; model: string | null };
  /** What came with the text of a turn. */
  readonly shown?: Record<string, unknown>[];
  readonly clean?: string;
  readonly interrupt?: string;
}

export function openHost(): CodexHost {
  const dataDir = makeDataDir();
  const logFile = path.join(dataDir, "fake.log");
  const records = createProcessRecords({ dataDir, processes: chooseProcessList() });
  const agents: Agent[] = [];
  const host: CodexHost = {
    dataDir,
    create({
      name = "codex",
      faults = [],
      env = [],
      model,
      effort,
      isReadOnly = false,
      nativeSessionId,
      limits,
      clock,
      command,
      environment,
      cwd = dataDir,
      sandbox,
      judge,
    } = {}) {
      const fake = [process.execPath, path.join(FAKES, "codex.mjs"), ...faults, `log=${logFile}`];
      const agent = createCodexAgent(
        {
          name,
          kind: "codex",
          command: [...(command ?? fake)],
          env: [...env],
          ...(model === undefined ? {} : { model }),
          ...(effort === undefined ? {} : { effort }),
        },
        {
          sessionId: "session",
          cwd,
          writable: !isReadOnly,
          records,
          ...(nativeSessionId === undefined ? {} : { nativeSessionId }),
          ...(environment === undefined ? {} : { environment }),
          ...(sandbox === undefined ? {} : { sandbox }),
          ...(judge === undefined ? {} : { judge }),
        },
        { limits: { ...shortLimits, ...limits }, ...(clock === undefined ? {} : { clock }) },
      );
      agents.push(agent);
      return agent;
    },
    start: (options) => startAgent(host.create(options)),
    log: () => readLog(logFile),
    starts: () => host.log().flatMap(({ pid, argv }) => (argv === undefined ? [] : [pid])),
    async close() {
      await Promise.all(agents.map((agent) => agent.close()));
      removeDataDir(dataDir);
    },
  };
  return host;
}

function readLog(file: string): FakeRecord[] {
  try {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as FakeRecord);
  } catch {
    // Nothing was started yet.
    return [];
  }
}
