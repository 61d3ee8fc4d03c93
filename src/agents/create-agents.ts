/**
 * The agents of one host: the factory for its members, and cleanup of processes that dead hosts of the same data
 * directory left.
 * Everything a member starts carries a marker with data directory, host and member, so that the next host finds it
 * after a crash.
 */
import path from "node:path";
import { credentialsOf, withoutCredentials } from "../kit/url-credentials.ts";
import { sweepOwnFolders } from "./drivers/acp/private-directory.ts";
import { sweepPlaceholders } from "./sandbox/placeholders.ts";
import { createAgentFactory, type EmbeddedLoader } from "./create-agent.ts";
import { GuardWarnings } from "./guard-warnings.ts";
import type { McpServers } from "./model/mcp/server-config.ts";
import type { MemberSpec } from "../protocol/index.ts";
import type { Rule } from "./approvals/rule.ts";
import { createGovernedAgent } from "./sandbox/governed/governed-agent.ts";
import { GovernedWatch } from "./sandbox/governed/watch.ts";
import type { Agent, AgentFactory, AgentSetup, TurnError } from "./port.ts";
import { type ProgramEnvironment, vendorsOf } from "./process/launch/environment.ts";
import { createProcessRecords, recordsOfSession, type ProcessRecords } from "./process/tracking/process-records.ts";
import { chooseProcessList } from "./process/list/choose-process-list.ts";
import { killOrphans, type Orphan } from "./process/tracking/orphans.ts";
import { deniedPathsIn } from "./sandbox/denied-paths.ts";
import type { SandboxSettings } from "./sandbox/sandbox.ts";
import { sweepToolSockets } from "./host-tools/tool-socket.ts";
import { createUnavailableAgent } from "./unavailable-agent.ts";

export interface Agents {
  readonly factory: AgentFactory;
  /** Takes at most three seconds. Rejects when the process list cannot be read. */
  readonly endOrphans: () => Promise<{ ended: Orphan[]; left: Orphan[] }>;
}

export interface AgentsOptions {
  readonly dataDir: string;
  /** Members that run inside this process. Absent: none. */
  readonly embedded?: readonly EmbeddedLoader[];
  /** MCP servers configured for a directory. May throw. */
  readonly mcpServersFor?: (cwd: string) => McpServers;
  /** Configured environment of a member. May throw. */
  readonly environmentFor?: (cwd: string, member: string) => MemberEnvironment;
  /** Configured sandbox of a member. May throw. Absent: no sandbox. */
  readonly sandboxFor?: (cwd: string, member: string) => MemberSandbox;
  /** Approval rules for a directory; paths they deny are closed in the sandbox too. */
  readonly rulesFor?: (cwd: string) => readonly Rule[];
}

export interface MemberSandbox {
  readonly settings: SandboxSettings;
  /** The user configuration allows it to work unguarded in read-only sessions. */
  readonly mayWorkUnguarded: boolean;
}

export type MemberEnvironment = Pick<ProgramEnvironment, "isClean" | "changes" | "withheld"> & {
  /** Configured address of its model; may contain a user name and password. */
  readonly baseUrl?: string;
};

interface Warned {
  readonly setup: AgentSetup;
  readonly settings: SandboxSettings;
  readonly PATH: string | undefined;
}

export function createAgents(options: AgentsOptions): Agents {
  const { dataDir, mcpServersFor, environmentFor, sandboxFor } = options;
  const createAgent = createAgentFactory(options.embedded ?? []);
  const processes = chooseProcessList();
  const records = createProcessRecords({ dataDir, processes });
  const warnings = new GuardWarnings();
  // Codex members of all sessions share one process, so they share its records.
  const recordsOf = ({ kind }: MemberSpec, { sessionId }: AgentSetup): ProcessRecords =>
    kind === "codex" ? records : recordsOfSession(records, sessionId);
  const watches = new Map<string, GovernedWatch>();

  /** Watches the governed files of the session and changes them where the user allows it. */
  function governed(agent: Agent, spec: MemberSpec, { sessionId, cwd }: AgentSetup): Agent {
    const watch = watches.get(sessionId) ?? new GovernedWatch(cwd);
    watches.set(sessionId, watch);
    return createGovernedAgent({ agent, spec, cwd, watch, quarantine: path.join(dataDir, "quarantine", sessionId) });
  }

  function warned(agent: Agent, { name }: MemberSpec, { setup, ...about }: Warned): Agent {
    const { sessionId, cwd } = setup;
    const rules = () => options.rulesFor?.(cwd) ?? [];
    return warnings.watch(agent, { sessionId, member: name, cwd, rules, ...about });
  }

  return {
    factory(spec, setup) {
      const servers = mcpServersFor === undefined ? {} : { mcpServers: () => mcpServersFor(setup.cwd) };
      const { variables } = setup.environment ?? { variables: process.env };
      const isOurs = spec.kind === "embedded";
      const own = readSettings(() => ({
        environment: isOurs ? undefined : environmentFor?.(setup.cwd, spec.name),
        sandbox: isOurs ? undefined : sandboxFor?.(setup.cwd, spec.name),
      }));
      if ("error" in own) return createUnavailableAgent(own.error);
      const { baseUrl = "", ...settings } = own.environment ?? {};
      const environment = { ...settings, variables, vendors: vendorsOf(spec) };
      const login = withoutCredentials(baseUrl) === spec.baseUrl ? credentialsOf(baseUrl) : undefined;
      const credentials = login === undefined ? {} : { credentials: login };
      const marker = records.marker(spec.name);
      const agent = createAgent(spec, {
        ...setup,
        environment,
        records: recordsOf(spec, setup),
        marker,
        ...servers,
        ...credentials,
        ...(own.sandbox === undefined ? {} : sandboxed(setup, own.sandbox, options)),
      });
      if (own.sandbox === undefined) return agent;
      const watched = warned(agent, spec, { setup, settings: own.sandbox.settings, PATH: variables["PATH"] });
      return setup.writable ? governed(watched, spec, setup) : watched;
    },
    endOrphans() {
      void sweepToolSockets();
      void sweepOwnFolders();
      sweepPlaceholders(dataDir);
      return killOrphans(dataDir, processes);
    },
  };
}

/** If the configuration is unreadable the member does not start: it might get more access than configured. */
function readSettings<Own extends object>(read: () => Own): Own | { readonly error: TurnError } {
  try {
    return read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The member did not start: the configuration cannot be read: ${why}`;
    return { error: { code: "not_started", message, hint: "Fix it and ask again." } };
  }
}

function sandboxed(setup: AgentSetup, own: MemberSandbox, { rulesFor }: AgentsOptions): Partial<AgentSetup> {
  return {
    sandbox: own.settings,
    deniedPaths: () => deniedPathsIn(rulesFor?.(setup.cwd) ?? [], setup.cwd),
    hasAgreed: () => own.mayWorkUnguarded || setup.hasAgreed?.() === true,
  };
}
