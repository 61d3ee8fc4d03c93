/** Seats the fake ACP program as a member of the kind under test, in a data directory of its own. */
import path from "node:path";
import { createAcpAgent } from "../../../src/agents/drivers/acp/adapter.ts";
import type { AcpAgentOptions } from "../../../src/agents/drivers/acp/acp-process-agent.ts";
import { createCursorAgent } from "../../../src/agents/drivers/cursor/adapter.ts";
import { createOpencodeAgent } from "../../../src/agents/drivers/opencode/adapter.ts";
import type { Agent, AgentSetup } from "../../../src/agents/index.ts";
import { createProcessRecords } from "../../../src/agents/process/tracking/process-records.ts";
import { chooseProcessList } from "../../../src/agents/process/list/choose-process-list.ts";
import type { MemberSpec } from "../../../src/protocol/index.ts";
import { FAKES, makeDataDir, removeDataDir, shortLimits, survivors } from "../process/start-fake.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";

const create = { acp: createAcpAgent, cursor: createCursorAgent, opencode: createOpencodeAgent };

export interface AcpFakeOptions {
  readonly kind?: keyof typeof create;
  readonly flags?: readonly string[];
  readonly fake?: string;
  readonly command?: readonly string[];
  readonly spec?: Partial<MemberSpec>;
  readonly setup?: Partial<AgentSetup>;
  readonly options?: AcpAgentOptions;
}

export function createAcpFake(dataDir: string, given: AcpFakeOptions = {}): Agent {
  const { kind = "acp", flags = [], fake = "acp.mjs", spec, setup, options } = given;
  const command = given.command ?? [process.execPath, path.join(FAKES, fake), ...flags];
  const records = createProcessRecords({ dataDir, processes: chooseProcessList() });
  return create[kind](
    { name: "member", kind, command: [...command], ...spec },
    { sessionId: "session", cwd: dataDir, writable: true, records, ...setup },
    { ...options, limits: { ...shortLimits, ...options?.limits } },
  );
}

export interface AcpProbe extends AgentProbe {
  readonly dataDir: string;
  /** Closes it; what still runs a moment later is returned. */
  leave(): Promise<{ pid: number; command: string }[]>;
}

export async function startAcpFake(given: AcpFakeOptions = {}): Promise<AcpProbe> {
  const dataDir = makeDataDir();
  const probe = await startAgent(createAcpFake(dataDir, given));
  return {
    ...probe,
    dataDir,
    async leave() {
      await probe.agent.close();
      const left = await survivors(dataDir);
      removeDataDir(dataDir);
      return left;
    },
  };
}
