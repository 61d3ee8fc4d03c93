/**
 * A session's log: append, read, follow, recover, snapshot, lock. The port is `EventLog`; the file store is behind it.
 * What was heard from a log is in its file; what cannot be read is shown, never skipped.
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
export { openAdoptedLog, type AdoptedLog } from "./adopt-log.ts";
export { checkLog, type CheckLogOptions, type LogCheck } from "./check-log.ts";
export { compressLog, isCompressedWhole, type Compressed, type CompressOptions } from "./compress-log.ts";
export { acquireLock, type Holder, type Lock, type LockOptions } from "./lock.ts";
export { openFileLog, type OpenLogOptions } from "./open-log.ts";
export { openLogReader, type OpenReaderOptions } from "./open-reader.ts";
export { sessionIdsAmong, sessionPaths, stagingRoot, trashRoot, type SessionPaths } from "./paths.ts";
export { hasEpoch, hasSession, isOnlyCompressed } from "./session-pieces.ts";
export {
  discardStaged,
  publishStaged,
  shareBlobs,
  stageCopy,
  stagedIds,
  stagingDirectory,
  type SharedBlobs,
  type StagedOptions,
} from "./staged-session.ts";
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
} from "./trash.ts";
