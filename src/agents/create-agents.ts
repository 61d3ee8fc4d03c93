/**
 * The agents of one host: the factory that seats its members, and the end of what dead hosts of its data directory left.
 * Promise: whatever a member of this factory starts carries the mark of the data directory, the host and the member, so
 * the next host finds it after a crash.
 */
import path from "node:path";
import { credentialsOf, withoutCredentials } from "../kit/url-credentials.ts";
import { sweepOwnFolders } from "./acp/sweep-own-folders.ts";
import { createAgent } from "./create-agent.ts";
import { GuardWarnings } from "./guard-warnings.ts";
import type { McpServers } from "./model/mcp/server-config.ts";
import type { MemberSpec } from "../protocol/index.ts";
import type { Rule } from "./approvals/rule.ts";
import { createGovernedAgent } from "./sandbox/governed/governed-agent.ts";
import { GovernedWatch } from "./sandbox/governed/watch.ts";
import type { Agent, AgentFactory, AgentSetup, TurnError } from "./port.ts";
import { type ProgramEnvironment, vendorsOf } from "./process/launch/environment.ts";
import { createProcessRecords, recordsOfSession, type ProcessRecords } from "./process/tracking/process-records.ts";
import { chooseProcessTable } from "./process/table/choose-process-table.ts";
import { killOrphans, type Orphan } from "./process/tracking/orphans.ts";
import { deniedPathsIn } from "./sandbox/denied-paths.ts";
import type { SandboxSettings } from "./sandbox/sandbox.ts";
import { sweepToolSockets } from "./host-tools/tool-socket.ts";
import { createUnavailableAgent } from "./unavailable-agent.ts";

export interface Agents {
  readonly factory: AgentFactory;
  /** Takes three seconds at most. Rejects when the system does not tell of its processes. */
  readonly endOrphans: () => Promise<{ ended: Orphan[]; left: Orphan[] }>;
}

export interface AgentsOptions {
  readonly dataDir: string;
  /** Tool servers of the configuration that holds in a directory. May throw. */
  readonly mcpServersFor?: (cwd: string) => McpServers;
  /** What that configuration says of a member's environment. May throw. */
  readonly environmentFor?: (cwd: string, member: string) => MemberEnvironment;
  /** What that configuration says of the sandbox around a member. May throw. Absent: there is none. */
  readonly sandboxFor?: (cwd: string, member: string) => MemberSandbox;
  /** The rules about calls that hold in a directory; what they deny is closed in the sandbox too. */
  readonly rulesFor?: (cwd: string) => readonly Rule[];
}

export interface MemberSandbox {
  readonly settings: SandboxSettings;
  /** The user's own configuration lets it work in read-only sessions though nothing guards it. */
  readonly mayWorkUnguarded: boolean;
}

export type MemberEnvironment = Pick<ProgramEnvironment, "isClean" | "changes" | "withheld"> & {
  /** The address of its model as it is configured, which may hold a user and a password. */
  readonly baseUrl?: string;
};

interface Warned {
  readonly setup: AgentSetup;
  readonly settings: SandboxSettings;
  readonly PATH: string | undefined;
}

export function createAgents(options: AgentsOptions): Agents {
  const { dataDir, mcpServersFor, environmentFor, sandboxFor } = options;
  const processes = chooseProcessTable();
  const records = createProcessRecords({ dataDir, table: processes });
  const warnings = new GuardWarnings();
  // Codex members of all sessions share a process, which is found by the records they have in common.
  const recordsOf = ({ kind }: MemberSpec, { sessionId }: AgentSetup): ProcessRecords =>
    kind === "codex" ? records : recordsOfSession(records, sessionId);
  const watches = new Map<string, GovernedWatch>();

  /** With the governed files of the session watched, and changed for it where the user allows. */
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
      return killOrphans(dataDir, processes);
    },
  };
}

/** A configuration that cannot be read is no reason to start a program with more than it might allow. */
function readSettings<Own extends object>(read: () => Own): Own | { readonly error: TurnError } {
  try {
    return read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The member did not start: the configuration cannot be read: ${why}`;
    return { error: { code: "not_started", message, hint: "Correct it and ask again." } };
  }
}

function sandboxed(setup: AgentSetup, own: MemberSandbox, { rulesFor }: AgentsOptions): Partial<AgentSetup> {
  return {
    sandbox: own.settings,
    deniedPaths: () => deniedPathsIn(rulesFor?.(setup.cwd) ?? [], setup.cwd),
    hasAgreed: () => own.mayWorkUnguarded || setup.hasAgreed?.() === true,
  };
}
