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
export { IDLE_ORIGIN, type IdlePrompts } from "./missions/scheduler.ts";
export type { IdleMember, Mission } from "./missions/file.ts";
export type { SessionFacts } from "./sessions/queries.ts";
export type { ChangeScope } from "./workspace/workspace.ts";
export type { Run } from "./sessions/runs.ts";
export type { NewsListener } from "./sessions/watch.ts";
export { readBlob, readTranscript } from "./sessions/read-session.ts";
export { listFiles } from "./sessions/list-files.ts";
export { absoluteFolder, browseFolder } from "./folders/browse.ts";
export { describeFolder } from "./folders/suggestions.ts";
export { rebuildSearchIndex, searchDataDir, type SearchDataDirOptions } from "./search/search-data-dir.ts";
// What a team server derives from copies of logs.
export { HEARTBEAT_MS, type EndpointSink, type SessionEndpoint } from "./connections/endpoint.ts";
export type { OpenEndpoint } from "./connections/find-endpoint.ts";
export { ServedConnection, type ServingHost } from "./connections/served-connection.ts";
export { forkSession } from "./sessions/fork.ts";
export { factsOf } from "./sessions/queries.ts";
export { foldTail, pageFrom, toSnapshotFrame } from "./sessions/read-session.ts";
export { runById, runsInFlight } from "./sessions/runs.ts";
export type { Entry, ReadingState } from "./search/indexing/entry.ts";
export { EntryReader } from "./search/indexing/read-entries.ts";
export { splitIdentifiers } from "./search/indexing/write-entries.ts";
export { holds } from "./search/query/find-entries.ts";
export { makeSnippet } from "./search/query/make-snippet.ts";
export { foldText, parseQuery, tokensOf, type Term } from "./search/query/parse-query.ts";
export { exportLog, exportSession, openSource, type Exporter, type SessionExport } from "./export/export-session.ts";
export {
  importExternalSession,
  type ExternalImportOptions,
  type ExternalImportResult,
} from "./import/import-external.ts";
export {
  findSessionsIn,
  findStoredSessions,
  type DiscoveryResult,
  type ExternalSessionInfo,
} from "./import/find-external.ts";
// Helpers for importers, exporters and mirrors of edges.
export { prepareDataDir } from "./data-dir.ts";
export type { LoadMirror, Mirror, MirrorDeps, OpenMirror } from "./sessions/session-mirror.ts";
export type { LogFiles } from "./sessions/log-files.ts";
export type { ExportSource } from "./export/export-source.ts";
export { createLiveRedaction, type LiveRedaction } from "./export/live-redaction.ts";
export type { RedactOptions } from "./export/redacted-source.ts";
export { blobsIn } from "./export/redact/redact.ts";
export { createFlow, type FlowItem, type TurnNode } from "./export/flow.ts";
export { flowOf, wholeText } from "./export/whole-flow.ts";
export type { Environment, ExternalFormat } from "./import/external-format.ts";
export { findFiles } from "./import/find-files.ts";
export { peekFile } from "./import/peek-file.ts";
export { readLines } from "./import/read-lines.ts";
export { shortText, jsonText } from "./import/builder/bodies.ts";
export { type Leaf, lastBranch, forksOf } from "./import/builder/branches.ts";
export {
  type SourceLine,
  DAMAGED,
  type SourceFile,
  type ImportUnit,
  type ExternalImage,
  titleFrom,
  notice,
  rewindNotice,
  withDamage,
  type ExternalSession,
} from "./import/builder/external-session.ts";
export { ImportBuilder, compactionDraft } from "./import/builder/import-builder.ts";
export { messageDraft, messageUnit } from "./import/builder/message-draft.ts";
export { type ToolCall, type ToolResult, type TurnEnding, TurnDraft } from "./import/builder/turn-draft.ts";
export { sumUsage } from "./import/builder/usage.ts";
