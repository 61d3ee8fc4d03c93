/** What a seated member keeps between its turns: its conversation, what it learnt of its server, what it may do. */
import type { Clock } from "../../kit/clock.ts";
import type { HostToolName, MemberSpec } from "../../protocol/index.ts";
import type { Seat } from "../port.ts";
import type { ProcessTable } from "../process/process-row.ts";
import type { ServerManners } from "./ask-model.ts";
import { Conversation } from "./conversation.ts";
import { shellVariables, type Endpoint } from "./endpoint.ts";
import type { OpenAiLimits } from "./limits.ts";
import type { Fetch } from "./model-call.ts";
import { ModelChoice } from "./model-choice.ts";
import type { OfferedModel } from "./models-list.ts";
import { Permissions, type PermissionRule } from "./tools/permissions.ts";
import { Toolbox, type ToolSource } from "./tools/toolbox.ts";

/** What is given from outside; everything has a usual value. */
export interface OpenAiDeps {
  readonly clock?: Clock;
  readonly fetch?: Fetch;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<OpenAiLimits>;
  readonly rules?: readonly PermissionRule[];
  /** Which of the table's own tools are offered. */
  readonly hostTools?: readonly HostToolName[];
  /** Where more tools come from. */
  readonly sources?: readonly ToolSource[];
  readonly table?: ProcessTable;
}

export interface MemberMind {
  readonly spec: MemberSpec;
  readonly seat: Seat;
  readonly root: string;
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly random: () => number;
  readonly limits: OpenAiLimits;
  readonly conversation: Conversation;
  readonly choice: ModelChoice;
  readonly manners: ServerManners;
  readonly permissions: Permissions;
  readonly toolbox: Toolbox;
  readonly nextId: () => string;
  /** Aborted when the member leaves. */
  readonly unseated: AbortSignal;
  /** Null until the server was asked. */
  offered: readonly OfferedModel[] | null;
  hasToldOfEstimates: boolean;
  hasToldOfClearKey: boolean;
}

export interface MindMaking extends Pick<
  MemberMind,
  "spec" | "seat" | "root" | "endpoint" | "clock" | "limits" | "nextId" | "unseated"
> {
  readonly deps: OpenAiDeps;
  readonly table: ProcessTable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createMind({ deps, table, env, ...facts }: MindMaking): MemberMind {
  const { spec, seat, limits } = facts;
  const shell = { table, environment: env, named: shellVariables(spec), outputBytesMax: limits.resultBytesMax };
  const { hostTools, sources } = deps;
  return {
    ...facts,
    fetch: deps.fetch ?? ((url, init) => fetch(url, init)),
    random: deps.random ?? Math.random,
    conversation: new Conversation(),
    choice: new ModelChoice([]),
    manners: { takesStreamOptions: true, takesTools: true },
    permissions: new Permissions(deps.rules),
    toolbox: new Toolbox({ isWritable: seat.writable, hostTools, sources, shell }),
    offered: null,
    hasToldOfEstimates: false,
    hasToldOfClearKey: false,
  };
}
