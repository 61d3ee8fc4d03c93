/**
 * All sessions of a data directory: opening and closing them, serving clients in this process and over the local socket,
 * becoming a client where another process holds a session, listing, and the read-only check.
 */
export { createHost, type Host, type HostOptions } from "./host.ts";
export { createAlwaysAllowedFile } from "./always-file.ts";
export { checkDataDir, type CheckOptions, type DataDirReport } from "./check-data-dir.ts";
export { rebuildDerived, repairCopies, type Rebuilt, type Repaired, type RepairOptions } from "./repair-data-dir.ts";
export { emptyTrash, type SessionMaintenance } from "./session-care.ts";
export type { IdlePrompts } from "./idle-prompts.ts";
export type { IdleMember, Mission } from "./idle-prompts-file.ts";
export type { SessionFacts } from "./session-facts.ts";
export type { Run } from "./session-runs.ts";
export type { NewsListener } from "./session-watch.ts";
export { readBlob, readTranscript } from "./read-session.ts";
export { listFiles } from "./list-files.ts";
export { rebuildSearchIndex, searchDataDir, type SearchDataDirOptions } from "./search/search-data-dir.ts";
export { importThread, type ThreadImportOptions, type ThreadImportResult } from "./mirror/import-thread.ts";
export { listThreads, type ThreadInfo } from "./mirror/list-threads.ts";
export { exportSession, type ExportFormat, type SessionExport } from "./export/export-session.ts";
export { importLines } from "./export/import-lines.ts";
export { readExportHeader } from "./export/survey-file.ts";
export { writeSprout } from "./export/write-sprout.ts";
export {
  importExternalSession,
  type ExternalImportOptions,
  type ExternalImportResult,
} from "./import/import-foreign.ts";
export {
  findSessionsIn,
  findStoredSessions,
  externalFormats,
  type DiscoveryResult,
  type ExternalSessionInfo,
} from "./import/find-foreign.ts";
