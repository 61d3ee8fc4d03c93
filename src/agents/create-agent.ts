/** Factory of agents: creates the agent of a member by its kind. */
import type { AgentKind, Capabilities, MemberSpec } from "../protocol/index.ts";
import { effortLevels } from "./effort.ts";
import { createEmbeddedAgent } from "./embedded/agent.ts";
import { embeddedMembers, findEmbeddedMember } from "./embedded/members.ts";
import { costFacts, lazyKinds } from "./kinds.ts";
import type {
  Agent,
  AgentFactory,
  AgentSetup,
  TurnError,
  AgentEvent,
  AnswerResult,
  SteerInput,
  TurnInput,
} from "./port.ts";
import { createUnavailableAgent } from "./unavailable-agent.ts";
import type { ConversationHistory } from "./history.ts";

function factoryForKind(kind: AgentKind): AgentFactory | undefined {
  if (kind === "embedded") return createEmbedded;
  if (!Object.hasOwn(lazyKinds, kind)) return undefined;
  const lazy = lazyKinds[kind];
  return (spec, setup) =>
    createLazyAgent({
      member: spec.name,
      capabilities: { ...lazy.capabilities(spec), ...costFacts(spec), ...effortFacts(spec) },
      load: () => lazy.load(spec, setup),
    });
}

export const createAgent: AgentFactory = (spec, setup) =>
  factoryForKind(spec.kind)?.(spec, setup) ?? createUnavailableAgent(unknownKind(spec));

function effortFacts(spec: MemberSpec): Pick<Capabilities, "effort"> {
  const levels = effortLevels(spec);
  return levels === null ? {} : { effort: [...levels] };
}

/** Undefined when this version supports the kind. */
export function whyUnsupported(kind: AgentKind): string | undefined {
  return factoryForKind(kind) === undefined ? `kind ${kind} is not supported by this version` : undefined;
}

function createEmbedded(spec: MemberSpec, setup: AgentSetup): Agent {
  const member = findEmbeddedMember(spec);
  return member === undefined ? createUnavailableAgent(unknownMember(spec)) : createEmbeddedAgent(member, setup);
}

function unknownKind(spec: MemberSpec): TurnError {
  return {
    code: "unsupported",
    message: `Member "${spec.name}" did not answer: ${whyUnsupported(spec.kind) ?? `kind ${spec.kind} is not known`}.`,
    hint: `Use an embedded member instead (${knownNames()}).`,
  };
}

function unknownMember(spec: MemberSpec): TurnError {
  const requested = spec.model === undefined ? `"${spec.name}"` : `"${spec.name}" (model "${spec.model}")`;
  return {
    code: "unsupported",
    message: `Member ${requested} did not answer: there is no embedded member of that name.`,
    hint: `Embedded members are: ${knownNames()}. Name one as the member's name or model.`,
  };
}

function knownNames(): string {
  return embeddedMembers.map((one) => one.name).join(", ");
}

// Agent whose code is loaded on first start, so that sessions without its kind do not pay for it. Capabilities are
// known before. If loading fails, every turn ends errored.
interface LazyAgentOptions {
  readonly member: string;
  readonly capabilities: Capabilities;
  readonly load: () => Promise<Agent>;
}

export function createLazyAgent(options: LazyAgentOptions): Agent {
  return new LazyAgent(options);
}

class LazyAgent implements Agent {
  readonly capabilities: Capabilities;
  readonly #options: LazyAgentOptions;
  #loading: Promise<Agent> | undefined;
  #agent: Agent | undefined;
  #isClosed = false;
  #up: ((event: AgentEvent) => void) | undefined;

  constructor(options: LazyAgentOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    const agent = await (this.#loading ??= this.#load());
    if (this.#isClosed) return;
    this.#up = up;
    this.#agent = agent;
    await agent.start(up);
  }

  async #load(): Promise<Agent> {
    const { member, load } = this.#options;
    try {
      return await load();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return createUnavailableAgent({
        code: "not_started",
        message: `Member "${member}" did not answer: its driver could not be loaded (${why}).`,
        hint: "Reinstall roundtable.",
      });
    }
  }

  send(input: TurnInput | SteerInput): void {
    this.#agent?.send(input);
  }

  interrupt(): void {
    this.#agent?.interrupt();
  }

  /** Only a started agent gets this call, so an agent without `compact` is one that failed to load. */
  compact(focus?: string, history?: ConversationHistory): void {
    const agent = this.#agent;
    if (agent?.compact !== undefined) agent.compact(focus, history);
    else queueMicrotask(() => this.#up?.({ type: "compact_failed", message: "This agent cannot compact." }));
  }

  answer(callId: string, result: AnswerResult): void {
    this.#agent?.answer(callId, result);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#up = undefined;
    const agent = this.#agent ?? (await this.#loading);
    await agent?.close();
  }
}
