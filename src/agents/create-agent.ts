/** Seats a member: the one place that knows which agent kinds this version can drive. */
import type { AgentKind, Capabilities, MemberSpec } from "../protocol/index.ts";
import { effortLevels } from "./effort.ts";
import { createEmbeddedAgent } from "./embedded/agent.ts";
import { embeddedMembers, findEmbeddedMember } from "./embedded/members.ts";
import { costFacts, lazyKinds } from "./kinds.ts";
import { createLazyAgent } from "./lazy-agent.ts";
import type { Agent, AgentFactory, AgentSetup, TurnError } from "./port.ts";
import { createUnavailableAgent } from "./unavailable-agent.ts";

/** A kind can be seated because it is here, and for no other reason. */
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

/** Undefined when members of this kind can be seated. */
export function whyUnsupported(kind: AgentKind): string | undefined {
  return factoryForKind(kind) === undefined ? `kind ${kind} cannot be seated by this version` : undefined;
}

function createEmbedded(spec: MemberSpec, setup: AgentSetup): Agent {
  const member = findEmbeddedMember(spec);
  return member === undefined ? createUnavailableAgent(unknownMember(spec)) : createEmbeddedAgent(member, setup);
}

function unknownKind(spec: MemberSpec): TurnError {
  return {
    code: "unsupported",
    message: `Member "${spec.name}" did not answer: ${whyUnsupported(spec.kind) ?? `kind ${spec.kind} is not known`}.`,
    hint: `Seat an embedded member instead (${knownNames()}).`,
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
