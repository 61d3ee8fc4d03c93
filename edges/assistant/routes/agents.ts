/** Agents for a new session: all members together, or one of them. */
import { MemberSpec } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import type { SessionDefaults } from "../../../src/server/index.ts";

export interface AssistantAgent {
  readonly agentId: string;
  readonly displayName: string;
  readonly description: string;
  readonly type: "chat";
}

export async function listAgents(defaults: SessionDefaults): Promise<AssistantAgent[]> {
  const names = defaults.members.map(({ name }) => name).join(", ");
  const roundtable = {
    agentId: assistant.ROUNDTABLE_AGENT,
    displayName: "Roundtable",
    description: names === "" ? "This session has no members yet." : `All members together: ${names}.`,
    type: "chat" as const,
  };
  return [roundtable, ...(await availableMembers(defaults)).map(toAgent)];
}

/** Undefined for an unknown agent. */
export async function membersFor(
  defaults: SessionDefaults,
  agentId: string,
): Promise<readonly MemberSpec[] | undefined> {
  if (agentId === assistant.ROUNDTABLE_AGENT) return defaults.members;
  const chosen = (await availableMembers(defaults)).find(({ name }) => name === agentId);
  return chosen === undefined ? undefined : [chosen];
}

/** The default members as configured, and agents found on this machine. */
async function availableMembers({ members, listAgents: discover }: SessionDefaults): Promise<MemberSpec[]> {
  const discovered = (await discover?.()) ?? [];
  const others = discovered
    .filter(({ name, canBeSeated }) => canBeSeated && !members.some((one) => one.name === name))
    .map((one) => MemberSpec.parse(one));
  return [...members, ...others];
}

function toAgent({ name, kind, model }: MemberSpec): AssistantAgent {
  const description = model === undefined ? `A member of kind ${kind}.` : `A member of kind ${kind}, model ${model}.`;
  return { agentId: name, displayName: displayName(name), description, type: "chat" };
}

function displayName(name: string): string {
  return name
    .split(/[-_]/)
    .filter((part) => part !== "")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(" ");
}
