/** What makes a server for a team: copies of runners' logs on PostgreSQL, people and their rights, nodes and runners. */
export { startNode, type NodeOptions, type TeamNode } from "./node/start-node.ts";
export type { ProviderSettings } from "./people/provider.ts";
export { openCommandJournal } from "./runner/command-journal.ts";
export { connectNode } from "./runner/node-link.ts";
export { Runner, type RunnerState } from "./runner/runner.ts";
export {
  joinedAs,
  knownServers,
  machineSecret,
  noteJoinedAs,
  openServerDevice,
  type ServerDevice,
} from "./runner/server-device.ts";
export { chooseShare, noteOwnerHere, openAnswersHere, openShares, whatSharingDoes } from "./runner/shares.ts";
export { openPostgresStore, type PostgresStoreOptions } from "./store/postgres/open-store.ts";
export { TeamStoreError, type TeamStore, type TeamStoreCode, type Writer } from "./store/team-store.ts";
