/** Shared by all import formats: the shape of their result, and its ids. */
export {
  DAMAGED,
  IMPORT_CODE,
  type DamagedLine,
  type ExternalImage,
  type ExternalSession,
  type ImportUnit,
  type SourceFile,
  type SourceLine,
  type TimedDraft,
} from "./external-session.ts";
export { isUnsettled } from "./turn-draft.ts";
export { messageIdOf, stableSessionId, turnIdOf, withIds, type Naming } from "./stable-ids.ts";
