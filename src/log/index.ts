/**
 * A session's log: append, read, follow, recover, snapshot, lock. The port is `EventLog`, implemented by the file
 * store. Delivered events are in the file; unreadable ranges are reported, never skipped.
 */
export type {
  Appended,
  BlobStore,
  Damage,
  EventLog,
  LogReader,
  RecoveryReport,
  Snapshot,
  SnapshotStore,
  StoreReport,
} from "./event-log.ts";
export { compressLog, isCompressedWhole, type Compressed, type CompressOptions } from "./lifecycle/compress-log.ts";
export { acquireLock, loadSqlite, type Holder, type Lock, type LockOptions } from "./writer/lock.ts";
export { openFileLog, type OpenLogOptions, openAdoptedLog, type AdoptedLog } from "./writer/open-log.ts";
export {
  openLogReader,
  type OpenReaderOptions,
  checkLog,
  type CheckLogOptions,
  type LogCheck,
} from "./reader/open-reader.ts";
export { sessionIdsAmong, sessionPaths, stagingRoot, trashRoot, type SessionPaths } from "./files/paths.ts";
export { hasEpoch, hasSession, isOnlyCompressed } from "./lifecycle/session-files.ts";
export {
  discardStaged,
  publishStaged,
  shareBlobs,
  stageCopy,
  stagedIds,
  stagingDirectory,
  type SharedBlobs,
  type StagedOptions,
} from "./lifecycle/staged-session.ts";
export {
  moveToTrash,
  readTrashNote,
  removeFromTrash,
  removeGone,
  restoreFromTrash,
  settleTrash,
  trashedIds,
  trashDirectory,
  unsettledTrash,
  type TrashOptions,
} from "./lifecycle/trash.ts";
