/** Who speaks in linggen's words: a member by its name, a subagent by its own name and the end of its turn's id. */
import type { Block, TurnMessage } from "../../../src/transcript/index.ts";

const TAIL_CHARS = 6;

export interface TurnAgent {
  readonly agent: string;
  /** The agent that sent it; null for a member. */
  readonly parent: string | null;
}

/** Two subagents of one name are told apart, because clients keep them by their id. */
export function subagentId(name: string, turnId: string): string {
  const word = name
    .toLowerCase()
    .replaceAll(/[^\d_a-z-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `${word === "" ? "subagent" : word}-${turnId.slice(-TAIL_CHARS).toLowerCase()}`;
}

/** The names of all turns, subagents' too. A parent that is not among them is taken for its member. */
export function agentsOfTurns(turns: Iterable<TurnMessage>): Map<string, TurnAgent> {
  const all = [...turns];
  const names = new Map(all.flatMap((turn) => turn.blocks.flatMap(spawned)));
  const agents = new Map<string, TurnAgent>();
  for (const turn of all.toSorted((a, b) => a.depth - b.depth)) {
    const { turnId, member, depth, parentTurnId } = turn;
    const parent = parentTurnId === undefined ? undefined : agents.get(parentTurnId)?.agent;
    const agent = depth === 0 ? member : subagentId(names.get(turnId) ?? "subagent", turnId);
    agents.set(turnId, { agent, parent: depth === 0 ? null : (parent ?? member) });
  }
  return agents;
}

function spawned(block: Block): [string, string][] {
  return block.kind === "subagent" ? [[block.subagentTurnId, block.name]] : [];
}
