/** Factory of agents: creates the agent of a member by its kind. */
import type { Capabilities, MemberSpec } from "../protocol/index.ts";
import { createEmbeddedAgent, type EmbeddedMember } from "./embedded/agent.ts";
import { capabilitiesOf, lazyKinds, whyUnsupported } from "./kinds.ts";
import type { Agent, AgentFactory, TurnError, AgentEvent, AnswerResult, SteerInput, TurnInput } from "./port.ts";
import { createUnavailableAgent } from "./unavailable-agent.ts";
import type { ConversationHistory } from "./history.ts";

/** A member that runs inside this process. Its code is loaded when it starts. */
export interface EmbeddedLoader {
  readonly name: string;
  readonly load: () => Promise<EmbeddedMember>;
}

export function createAgentFactory(embedded: readonly EmbeddedLoader[]): AgentFactory {
  const names = embedded.map(({ name }) => name).join(", ");
  return (spec, setup) => {
    const { name: member, kind } = spec;
    const capabilities = capabilitiesOf(spec);
    if (capabilities === undefined) return createUnavailableAgent(unknownKind(spec, names));
    if (kind !== "embedded") {
      return createLazyAgent({ member, capabilities, load: () => lazyKinds[kind].load(spec, setup) });
    }
    const loader = findLoader(spec, embedded);
    if (loader === undefined) return createUnavailableAgent(unknownMember(spec, names));
    const load = async () => createEmbeddedAgent(await loader.load(), setup);
    return createLazyAgent({ member, capabilities, load });
  };
}

/** A member may have another name in its session: the model says which one it is, and without one the name does. */
function findLoader(spec: MemberSpec, embedded: readonly EmbeddedLoader[]): EmbeddedLoader | undefined {
  return embedded.find(({ name }) => name === spec.model) ?? embedded.find(({ name }) => name === spec.name);
}

function unknownKind({ name, kind }: MemberSpec, embedded: string): TurnError {
  return {
    code: "unsupported",
    message: `Member "${name}" did not answer: ${whyUnsupported(kind) ?? `kind ${kind} is not known`}.`,
    hint: embedded === "" ? "Update roundtable." : `Use an embedded member instead (${embedded}).`,
  };
}

function unknownMember({ name, model }: MemberSpec, embedded: string): TurnError {
  const requested = model === undefined ? `"${name}"` : `"${name}" (model "${model}")`;
  return {
    code: "unsupported",
    message: `Member ${requested} did not answer: unknown embedded member.`,
    hint:
      embedded === ""
        ? "This build has no embedded members."
        : `Embedded members are: ${embedded}. Name one as the member's name or model.`,
  };
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
