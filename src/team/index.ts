/** What makes a server for a team: copies of runners' logs on PostgreSQL, people and their rights, and routing. */
export { openPostgresStore, type PostgresStoreOptions } from "./store/postgres/open-store.ts";
export { TeamStoreError, type TeamStore, type TeamStoreCode, type Writer } from "./store/team-store.ts";
