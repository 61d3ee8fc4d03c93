/** Agents on the server's machine that can join a session. */
import type { MemberSpec } from "../../protocol/index.ts";
import type { AskServer } from "./upload.ts";

/** Discovery takes a moment and is requested with every letter of a name. */
const CACHE_MS = 10_000;

const known = new WeakMap<AskServer, { readonly atMs: number; readonly agents: Promise<readonly AvailableAgent[]> }>();

export interface AvailableAgent extends MemberSpec {
  readonly foundBy: string;
  readonly where: string;
  readonly canBeSeated: boolean;
  readonly whyNot?: string;
  readonly sitsDown: boolean;
}

/** Rejects with a message when the server does not answer. */
export function listAgents(ask: AskServer): Promise<readonly AvailableAgent[]> {
  const cached = known.get(ask);
  if (cached !== undefined && performance.now() - cached.atMs < CACHE_MS) return cached.agents;
  const agents = fetchAgents(ask);
  known.set(ask, { atMs: performance.now(), agents });
  agents.catch(() => known.delete(ask));
  return agents;
}

async function fetchAgents(ask: AskServer): Promise<readonly AvailableAgent[]> {
  const answer = await ask("/v1/agents").catch(() => {
    throw new Error("Can't reach the server to see who can join.");
  });
  if (!answer.ok) throw new Error(`The list of available members could not be loaded (${answer.status}).`);
  return (await answer.json()) as AvailableAgent[];
}

/** What is known about an agent beside its spec. */
const ABOUT: ReadonlySet<string> = new Set(["foundBy", "where", "canBeSeated", "whyNot", "sitsDown"]);

/** The spec it joins with. */
export function specOf(agent: AvailableAgent): MemberSpec {
  return Object.fromEntries(Object.entries(agent).filter(([key]) => !ABOUT.has(key))) as MemberSpec;
}

export function unusedAgents(here: readonly AvailableAgent[], members: readonly string[]): AvailableAgent[] {
  return here.filter((one) => canJoin(one) && !members.includes(one.name));
}

export function canJoin({ canBeSeated: isReady }: AvailableAgent): boolean {
  return isReady;
}
