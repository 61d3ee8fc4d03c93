/**
 * The door of the agents: the port, the factory that seats a member, and the members that are built in.
 * Promise: `createAgent` never throws; a member that cannot be seated is an agent whose turns end errored and say why.
 */
export type { Agent, AgentEvent, AgentFactory, AnswerResult, Seat, SteerInput, TurnError, TurnInput } from "./port.ts";
export { createAgent } from "./create-agent.ts";
export { embeddedMembers } from "./embedded/members.ts";
