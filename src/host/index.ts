/**
 * All sessions of a data directory: opens and closes them, serves clients in this process and over the local socket,
 * forwards to the holder when another process has a session open, lists, searches, checks and repairs.
 */
export { createHost, type Host, type HostOptions } from "./host.ts";
export { createAlwaysAllowedFile } from "./sessions/always-allowed-file.ts";
export { checkDataDir, type CheckOptions, type DataDirReport } from "./maintenance/check-data-dir.ts";
export {
  rebuildDerived,
  repairCopies,
  type Rebuilt,
  type Repaired,
  type RepairOptions,
} from "./maintenance/repair-data-dir.ts";
export { emptyTrash, type SessionMaintenance } from "./maintenance/session-maintenance.ts";
export type { IdlePrompts } from "./missions/scheduler.ts";
export type { IdleMember, Mission } from "./missions/file.ts";
export type { SessionFacts } from "./sessions/queries.ts";
export type { Run } from "./sessions/runs.ts";
export type { NewsListener } from "./sessions/watch.ts";
export { readBlob, readTranscript } from "./sessions/read-session.ts";
export { listFiles } from "./sessions/list-files.ts";
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
} from "./import/import-external.ts";
export {
  findSessionsIn,
  findStoredSessions,
  externalFormats,
  type DiscoveryResult,
  type ExternalSessionInfo,
} from "./import/find-external.ts";
