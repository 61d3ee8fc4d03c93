/** Agent ids in linggen's format: a member's name, or a subagent's name with the end of its turn id. */
import type { Block, TurnMessage } from "../../../src/transcript/index.ts";

const TAIL_CHARS = 6;

export interface TurnAgent {
  readonly agent: string;
  /** The parent agent; undefined for a member. */
  readonly parent: string | undefined;
}

/** Distinguishes subagents of one name, because clients key them by id. */
export function subagentId(name: string, turnId: string): string {
  const word = name
    .toLowerCase()
    .replaceAll(/[^\d_a-z-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `${word === "" ? "subagent" : word}-${turnId.slice(-TAIL_CHARS).toLowerCase()}`;
}

/** Agent ids of all turns, including subagents. An unknown parent is replaced by its member. */
export function agentsOfTurns(turns: Iterable<TurnMessage>): Map<string, TurnAgent> {
  const all = [...turns];
  const names = new Map(all.flatMap((turn) => turn.blocks.flatMap(spawned)));
  const agents = new Map<string, TurnAgent>();
  for (const turn of all.toSorted((a, b) => a.depth - b.depth)) {
    const { turnId, member, depth, parentTurnId } = turn;
    const parent = parentTurnId === undefined ? undefined : agents.get(parentTurnId)?.agent;
    const agent = depth === 0 ? member : subagentId(names.get(turnId) ?? "subagent", turnId);
    agents.set(turnId, { agent, parent: depth === 0 ? undefined : (parent ?? member) });
  }
  return agents;
}

function spawned(block: Block): [string, string][] {
  return block.kind === "subagent" ? [[block.subagentTurnId, block.name]] : [];
}
