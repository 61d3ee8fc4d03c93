/** Recipients as modes: all members in parallel, all in sequence, or one member. */
import type { SessionMode, SessionModeState } from "@agentclientprotocol/sdk";
import type { Mode } from "../../../src/protocol/index.ts";
import { membersInOrder, type Head } from "../../../src/transcript/index.ts";

const ALONE = "only:";

export type ChosenMode =
  | { readonly kind: "table"; readonly mode: Mode }
  | { readonly kind: "one"; readonly member: string };

export function modesOf(head: Head, chosen: ChosenMode): SessionModeState {
  return { currentModeId: modeId(chosen), availableModes: availableModes(head) };
}

function availableModes(head: Head): SessionMode[] {
  const members = membersInOrder(head).map((member) => member.name);
  return [
    { id: "broadcast", name: "Everyone at once", description: "every member answers, side by side" },
    { id: "sequential", name: "One after the other", description: "each member sees the answers before it" },
    ...members.map((name) => ({ id: `${ALONE}${name}`, name: `Only ${name}`, description: `messages go to ${name}` })),
  ];
}

export function modeId(chosen: ChosenMode): string {
  return chosen.kind === "table" ? chosen.mode : `${ALONE}${chosen.member}`;
}

/** Undefined for a mode that the session does not have. */
export function chosenMode(head: Head, id: string): ChosenMode | undefined {
  if (!availableModes(head).some((mode) => mode.id === id)) return undefined;
  if (id === "broadcast" || id === "sequential") return { kind: "table", mode: id };
  return { kind: "one", member: id.slice(ALONE.length) };
}
