/**
 * The protocol: events (facts, up), commands (intents, down), frames and the Connection port. Schemas are the only
 * definition; types are inferred from them. No I/O.
 */
export { argumentProblem } from "./argument-problem.ts";
export { EVENT_BYTES_MAX, type SyncClass } from "./define.ts";
export {
  definitionOf,
  eventDefinitions,
  isKnownEvent,
  syncClassOf,
  type DraftOf,
  type EventDraft,
  type EventOf,
  type EventType,
  type SessionEvent,
  type UnknownEvent,
} from "./events.ts";
export { ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX, blobParts, type BlobPart, type BlobPartAnswer } from "./blob-upload.ts";
export { Ack, Command, commandSchemas, granted, type CommandOf, type CommandType, isRepeatable } from "./commands.ts";
export { commandResult, type CommandResults, type OtherTurn, type ResultOf } from "./command-results.ts";
export { AnswerError, errorCodes, fromAnswerError, RoundtableError, toAnswerError, type ErrorCode } from "./errors.ts";
export {
  ClientFrame,
  PROTOCOL_VERSION,
  SessionSummary,
  TrashedSession,
  SnapshotFrame,
  StoreState,
  type HostFrame,
  type SessionNews,
  type ClientConnection,
  type Connection,
  type HostConnection,
} from "./frames.ts";
export {
  hitWho,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SearchAnswer,
  SearchHit,
  SearchKind,
  SearchQuery,
} from "./search.ts";
export {
  FilePatch,
  FileTree,
  NamedFiles,
  TouchedFiles,
  WorkspaceChanges,
  WorkspaceFile,
  type ChangedFile,
  type TouchedFile,
  type TurnChanges,
} from "./workspace.ts";
export { Cover, coverRule, Permissions, Reach, Revoked, Verdict, type Permission } from "./permissions.ts";
export {
  ALLOW_ONCE,
  DENY,
  FOR_ALWAYS,
  FOR_EDITS,
  FOR_SESSION,
  isDenial,
  onceValue,
  isConsent,
  cancelledAnswer,
  safeDefault,
  UiRequestBody,
  type RequestMethod,
} from "./requests.ts";
export {
  BESIDE_COMMAND,
  BESIDE_PATH,
  EDIT_TEXT_KEYS,
  EDITORS,
  MORE_THAN_EDITORS,
  PATH_KEYS,
  SHELLS,
} from "./known-tools.ts";
export { ContextCall, ContextEntry } from "./context-entry.ts";
export { authorOf, nameKey, senderId, senderOf, type SeenAs, type TeamPerson } from "./sender.ts";
export { hostTools, hostToolSchemas, type HostToolName, type HostToolSchema } from "./host-tools.ts";
export { protocolJsonSchema } from "./json-schema.ts";
export { ApiError, openApiDocument, openApiPath, type ApiParameter, type ApiRoute } from "./open-api.ts";
export {
  ActivityState,
  AgentKind,
  APPROVAL_RULE,
  Attachment,
  BlobRef,
  Capabilities,
  Cursor,
  DeliveryState,
  FileChange,
  Json,
  LimitName,
  Limits,
  LimitScope,
  MEMBER_NAME,
  MemberName,
  MemberSpec,
  Mode,
  NO_CAPABILITIES,
  OfferedModel,
  Guard,
  Outcome,
  PlanItem,
  Price,
  QueueItem,
  Settings,
  ThreadMirror,
  ToolErrorCode,
  TurnCause,
  Usage,
  USD_LIMIT,
} from "./values.ts";
