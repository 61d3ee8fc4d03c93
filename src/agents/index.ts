/**
 * The door of the agents: the port, the factory that seats a member, the members that are built in, who else is on this
 * machine, and what dead hosts left running.
 * Promise: `createAgent` never throws; a member that cannot be seated is an agent whose turns end errored and say why.
 */
export type {
  Agent,
  AgentEvent,
  AgentFactory,
  AnswerResult,
  Heard,
  Seat,
  SteerInput,
  TurnError,
  TurnInput,
} from "./port.ts";
export { createAgent, whyNotSeated } from "./create-agent.ts";
export { createAgents, type Agents } from "./create-agents.ts";
export { embeddedMembers } from "./embedded/members.ts";
export { couldSeatFound, findAgents, type Findings } from "./find/find-agents.ts";
export type { FoundAgent } from "./find/found-agent.ts";
export { findStrays, type Stray } from "./process/strays.ts";
