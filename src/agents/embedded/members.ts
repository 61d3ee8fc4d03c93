/** Who is built in: members that need no model, no key and no network. */
import type { MemberSpec } from "../../protocol/index.ts";
import type { EmbeddedMember } from "./agent.ts";
import { critic } from "./critic/critic.ts";
import { historian } from "./historian/historian.ts";
import { scout } from "./scout/scout.ts";

const members: readonly EmbeddedMember[] = [scout, historian, critic];

export const embeddedMembers: readonly MemberSpec[] = members.map((one) => ({ name: one.name, kind: "embedded" }));

/** A seat may be renamed: the model says which member it is, and without one the name does. */
export function findEmbeddedMember(spec: MemberSpec): EmbeddedMember | undefined {
  return members.find((one) => one.name === spec.model) ?? members.find((one) => one.name === spec.name);
}
