/** Seats the built-in agent at a fake model server, with short limits and a directory of its own. */
import type { MemberSpec } from "../../../src/protocol/index.ts";
import { createModelAgent, type ModelAgentDeps } from "../../../src/agents/model/model-agent.ts";
import { startAgent, type AgentProbe } from "../agent-probe.ts";
import { startModelServer, type ModelServer } from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";
import type { AgentEvent, AgentSetup } from "../../../src/agents/index.ts";
import { onTestFinished } from "vitest";

export interface OpenAiProbe extends AgentProbe {
  readonly server: ModelServer;
  readonly cwd: string;
}

export interface OpenAiOptions {
  readonly spec?: Partial<MemberSpec>;
  readonly setup?: Partial<AgentSetup>;
  readonly deps?: ModelAgentDeps;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Retries do not wait in tests, except where a test is about waiting. */
export const QUICK = { retryBaseMs: 1, retryMsMax: 2 } as const;

export async function startOpenAi({
  spec = {},
  setup = {},
  deps = {},
  files = {},
  onEvent,
}: OpenAiOptions = {}): Promise<OpenAiProbe> {
  const server = await startModelServer();
  const cwd = await scratchTree(files);
  const member: MemberSpec = { name: "local", kind: "openai", baseUrl: server.url, model: "m1", ...spec };
  const agent = createModelAgent(
    member,
    { sessionId: "session", cwd, writable: false, ...setup },
    { env: { PATH: process.env["PATH"] }, ...deps, limits: { ...QUICK, ...deps.limits } },
  );
  onTestFinished(() => agent.close());
  const probe = await startAgent(agent, onEvent);
  return { ...probe, server, cwd };
}

const ASIDE: ReadonlySet<AgentEvent["type"]> = new Set([
  "usage",
  "status",
  "context_update",
  "context_entry",
  "member_guard",
]);

/** All that came up but what only tells how much was used, and what is written down for the member's own memory. */
export function reported(probe: AgentProbe): AgentEvent[] {
  return probe.events.filter((event) => !ASIDE.has(event.type));
}
