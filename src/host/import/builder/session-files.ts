/** What all formats of foreign sessions share: the form of what they come to, and ids for it. */
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
export { messageIdOf, stableSessionId, turnIdOf, withIds, type Naming } from "./stable-ids.ts";
