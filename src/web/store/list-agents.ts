/** Who could sit down on the machine of the server. */
import type { MemberSpec } from "../../protocol/index.ts";
import type { PageStore } from "./page-store.ts";

export interface AvailableAgent extends MemberSpec {
  readonly foundBy: string;
  readonly where: string;
  readonly canBeSeated: boolean;
  readonly whyNot?: string;
  readonly sitsDown: boolean;
}

/** Looking takes a moment, and is asked for with every letter of a name. */
const CACHE_MS = 10_000;

const known = new WeakMap<object, { readonly atMs: number; readonly agents: Promise<readonly AvailableAgent[]> }>();

/** Rejects with a sentence when the server does not say. */
export function listAgents(store: PageStore): Promise<readonly AvailableAgent[]> {
  const cached = known.get(store);
  if (cached !== undefined && performance.now() - cached.atMs < CACHE_MS) return cached.agents;
  const agents = ask(store);
  known.set(store, { atMs: performance.now(), agents });
  agents.catch(() => known.delete(store));
  return agents;
}

async function ask(store: PageStore): Promise<readonly AvailableAgent[]> {
  const answer = await store.ask("/v1/agents").catch(() => {
    throw new Error("The server cannot be reached; it knows who can be seated.");
  });
  if (!answer.ok) throw new Error(`The server does not say who can be seated (${answer.status}).`);
  return (await answer.json()) as AvailableAgent[];
}
