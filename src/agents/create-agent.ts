/** Seats a member: the one place that knows which agent kinds this version can drive. */
import type { AgentKind, Capabilities, MemberSpec } from "../protocol/index.ts";
import { effortLevels } from "./effort.ts";
import { createEmbeddedAgent } from "./embedded/embedded-agent.ts";
import { embeddedMembers, findEmbeddedMember } from "./embedded/members.ts";
import { costFacts, lateKinds } from "./kinds.ts";
import { createLateAgent } from "./late-agent.ts";
import type { Agent, AgentFactory, Seat, TurnError } from "./port.ts";
import { createUnseatedAgent } from "./unseated-agent.ts";

/** A kind can be seated because it is here, and for no other reason. */
function seatOfKind(kind: AgentKind): AgentFactory | undefined {
  if (kind === "embedded") return seatEmbedded;
  if (!Object.hasOwn(lateKinds, kind)) return undefined;
  const late = lateKinds[kind];
  return (spec, seat) =>
    createLateAgent({
      member: spec.name,
      capabilities: { ...late.capabilities(spec), ...costFacts(spec), ...effortFacts(spec) },
      load: () => late.load(spec, seat),
    });
}

export const createAgent: AgentFactory = (spec, seat) =>
  seatOfKind(spec.kind)?.(spec, seat) ?? createUnseatedAgent(unknownKind(spec));

function effortFacts(spec: MemberSpec): Pick<Capabilities, "effort"> {
  const levels = effortLevels(spec);
  return levels === null ? {} : { effort: [...levels] };
}

/** Undefined when members of this kind can be seated. */
export function whyNotSeated(kind: AgentKind): string | undefined {
  return seatOfKind(kind) === undefined ? `kind ${kind} cannot be seated by this version` : undefined;
}

function seatEmbedded(spec: MemberSpec, seat: Seat): Agent {
  const member = findEmbeddedMember(spec);
  return member === undefined ? createUnseatedAgent(unknownMember(spec)) : createEmbeddedAgent(member, seat);
}

function unknownKind(spec: MemberSpec): TurnError {
  return {
    code: "unsupported",
    message: `Member "${spec.name}" did not answer: ${whyNotSeated(spec.kind) ?? `kind ${spec.kind} is not known`}.`,
    hint: `Seat an embedded member instead (${knownNames()}).`,
  };
}

function unknownMember(spec: MemberSpec): TurnError {
  const asked = spec.model === undefined ? `"${spec.name}"` : `"${spec.name}" (model "${spec.model}")`;
  return {
    code: "unsupported",
    message: `Member ${asked} did not answer: there is no embedded member of that name.`,
    hint: `Embedded members are: ${knownNames()}. Name one as the member's name or model.`,
  };
}

function knownNames(): string {
  return embeddedMembers.map((one) => one.name).join(", ");
}
