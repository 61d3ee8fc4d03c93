/** State of the built-in agent between turns: conversation, learned server quirks, permissions. */
import type { Clock } from "../../kit/clock.ts";
import type { HostToolName, MemberSpec } from "../../protocol/index.ts";
import type { Judge } from "../approvals/approval-source.ts";
import { judgeCall } from "../approvals/judge-call.ts";
import type { Rule } from "../approvals/rule.ts";
import type { AgentSetup } from "../port.ts";
import type { ProcessList } from "../process/list/process-list.ts";
import { Conversation } from "./context/conversation.ts";
import { isSecretName, shellVariables, type Endpoint } from "./requests/endpoint.ts";
import type { ModelAgentLimits } from "./limits.ts";
import { ServerQuirks } from "./requests/quirks.ts";
import type { Fetch } from "./requests/call-model.ts";
import { ModelChoice } from "./model-choice.ts";
import type { OfferedModel } from "./requests/list-models.ts";
import type { ProjectNote } from "../tools/project-notes.ts";
import { Toolbox, type ToolSource } from "./tools/toolbox.ts";

/** Dependencies; all have defaults. */
export interface ModelAgentDeps {
  readonly clock?: Clock;
  readonly fetch?: Fetch;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<ModelAgentLimits>;
  /** For an agent without a session that judges its calls. */
  readonly rules?: readonly Rule[];
  /** Host tools on offer. */
  readonly hostTools?: readonly HostToolName[];
  /** Further tool sources. */
  readonly sources?: readonly ToolSource[];
  readonly processes?: ProcessList;
}

/** Last count of the context in tokens, and the estimate at that moment. */
export interface Reading {
  readonly tokens: number;
  readonly estimate: number;
  readonly measured: boolean;
}

export interface AgentState {
  readonly spec: MemberSpec;
  readonly setup: AgentSetup;
  readonly root: string;
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly random: () => number;
  readonly limits: ModelAgentLimits;
  readonly conversation: Conversation;
  readonly choice: ModelChoice;
  readonly quirks: ServerQuirks;
  readonly judge: Judge;
  readonly toolbox: Toolbox;
  /** 0 for the member, 1 for its subagents, 2 for theirs. */
  readonly depth: number;
  /** Tools at this depth. */
  readonly toolboxAt: (depth: number) => Toolbox;
  /** Subagents of this member, at any depth. */
  readonly family: { atWork: number; sent: number };
  readonly nextId: () => string;
  /** Aborted when the member leaves. */
  readonly closeSignal: AbortSignal;
  /** Undefined until the server was asked. */
  offered: readonly OfferedModel[] | undefined;
  /** From the session; outlives the turn that brought it. */
  systemPrompt: string | undefined;
  /** Project notes as of the start of the turn. */
  notes: readonly ProjectNote[];
  /** Undefined until the model has counted. */
  reading: Reading | undefined;
  hasWarnedOfEstimates: boolean;
  hasWarnedOfClearKey: boolean;
}

/** Plan, title and messages to other members belong to the member alone. */
const SUBAGENT_HOST_TOOLS: readonly HostToolName[] = ["agents_list", "user_question"];

export interface AgentStateOptions extends Pick<
  AgentState,
  "spec" | "setup" | "root" | "endpoint" | "clock" | "limits" | "nextId" | "closeSignal"
> {
  readonly deps: ModelAgentDeps;
  readonly processes: ProcessList;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createAgentState({ deps, processes, env, ...facts }: AgentStateOptions): AgentState {
  const { spec, setup, limits } = facts;
  const { isClean = false } = setup.environment ?? {};
  const hidden = Object.keys(env).filter(isSecretName);
  const inherited = { isClean, withheld: hidden };
  const shell = {
    processes,
    environment: env,
    named: shellVariables(spec),
    inherited,
    outputBytesMax: limits.resultBytesMax,
  };
  const { sources } = deps;
  const toolboxAt = (depth: number): Toolbox =>
    new Toolbox({
      isWritable: setup.writable,
      hostTools: depth === 0 ? deps.hostTools : SUBAGENT_HOST_TOOLS,
      sources,
      shell,
      subagentMs: depth < limits.subagentDepthMax ? limits.subagentMs : undefined,
    });
  return {
    ...facts,
    fetch: deps.fetch ?? ((url, init) => fetch(url, init)),
    random: deps.random ?? Math.random,
    conversation: new Conversation(),
    choice: new ModelChoice([]),
    quirks: new ServerQuirks(spec.api ?? "chat"),
    judge: deps.rules === undefined ? (setup.judge ?? (() => undefined)) : (call) => judgeCall(deps.rules ?? [], call),
    toolbox: toolboxAt(0),
    depth: 0,
    toolboxAt,
    family: { atWork: 0, sent: 0 },
    offered: undefined,
    systemPrompt: undefined,
    notes: [],
    reading: undefined,
    hasWarnedOfEstimates: false,
    hasWarnedOfClearKey: false,
  };
}
