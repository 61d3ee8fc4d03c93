/**
 * All sessions of a data directory: opening and closing them, serving clients in this process and over the local socket,
 * becoming a client where another process holds a session, listing, and the read-only check.
 */
export { createHost, type Host, type HostOptions } from "./host.ts";
export { createAlwaysFile } from "./always-file.ts";
export { checkDataDir, type DataDirReport } from "./check-data-dir.ts";
export type { IdlePrompts } from "./idle-prompts.ts";
export type { IdleMember, Mission } from "./idle-prompts-file.ts";
export type { SessionFacts } from "./session-facts.ts";
export type { Run } from "./session-runs.ts";
export type { NewsListener } from "./session-watch.ts";
export { readTranscript } from "./read-session.ts";
export { importThread, type ImportOptions, type Imported } from "./mirror/import-thread.ts";
export { listThreads, type FoundThread } from "./mirror/list-threads.ts";
