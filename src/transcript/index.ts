/**
 * The transcript: what a person sees, as a pure fold of the log. `fold` and `reduce` build it, snapshots store it,
 * selectors read it. Frozen pages may be absent from memory.
 */
export {
  FOLD_VERSION,
  OUTPUT_SHOWN_MAX,
  PAGE_SIZE,
  PINNED_MAX,
  UI_KEYS_MAX,
  type CompactionState,
  type Head,
  type MemberState,
  type OpenRequest,
  type Page,
  type RoundResult,
  type RoundState,
  type Spent,
  type Totals,
  type Transcript,
  type UiState,
} from "./model.ts";
export type {
  Block,
  Delivery,
  Message,
  Notice,
  OpenTurnPlaceholder,
  RequestOutcome,
  RequestState,
  ShownMessage,
  ToolBlock,
  ToolState,
  TurnEnd,
  TurnMessage,
  UserMessage,
} from "./messages.ts";
export { empty } from "./empty.ts";
export { fold } from "./fold.ts";
export { reduce } from "./reduce.ts";
export {
  dropFrozenPages,
  fromSnapshot,
  pageToJson,
  toSnapshot,
  withPage,
  type TranscriptSnapshot,
} from "./snapshot.ts";
export {
  deliveriesOf,
  loadedMessages,
  loadedMessagesBackward,
  messageAt,
  messagesBetween,
  pageAt,
  resolveMessage,
  turnById,
  answeringTurn,
  exchangeTools,
  isSubagent,
  subagentsBelow,
  subagentTree,
  type SubagentNode,
  belongsTo,
  findQuestion,
  isAnswered,
  isLeftToOthers,
} from "./selectors/messages.ts";
export {
  codesBefore,
  countCodeBlocks,
  failureDetail,
  isCutOff,
  toolApproval,
  isDenied,
  isTransient,
  phaseOf,
  shownOutput,
  turnText,
  type Phase,
  joinSegments,
  SEGMENT_BYTES_MAX,
  keyedBlocks,
  type KeyedBlock,
} from "./selectors/turn.ts";
export {
  failureLines,
  formatWork,
  isEdit,
  isFoldedWork,
  isInBackground,
  toolAction,
  toolStatus,
  type ToolAction,
  type ToolStatus,
} from "./selectors/work.ts";
export {
  countChanges,
  formatChanges,
  formatMoney,
  formatRunningTime,
  formatSize,
  formatTook,
  formatTurnTime,
  formatWorkTime,
  type LineChanges,
} from "./format/units.ts";
export {
  contextMeter,
  isRunning,
  membersInOrder,
  openCostUsd,
  openRequest,
  summaryOf,
  type ContextMeter,
  isQuiet,
} from "./selectors/head.ts";
export {
  capMeters,
  isDiscussing,
  meterLine,
  roundLine,
  roundView,
  SESSION_LIMIT_FACTOR,
  waitingInRound,
  type CapMeter,
  type RoundView,
} from "./selectors/council.ts";
export {
  addressed,
  recipientsOf,
  formatRecipients,
  type Recipients,
  addressedText,
  heldMembers,
  isHeld,
} from "./selectors/recipients.ts";
export { formatModel } from "./reducers/members.ts";
export { uncachedInput } from "./reducers/usage.ts";
export { formatCompaction, compactionOf, isFolded } from "./format/compaction.ts";
export { isNothingToAdd, NOTHING_CHARS_MAX, mentionsIn } from "./selectors/nothing-to-add.ts";
export {
  isQuietTurn,
  quietCost,
  quietRunAt,
  formatQuietRun,
  shownPosition,
  type QuietCost,
} from "./selectors/quiet-turns.ts";
export { describeFailure, type FailedTurn } from "./selectors/failure.ts";
export { formatRound, laterRoundAt, turnGroupAt } from "./selectors/turn-groups.ts";
export {
  permissionRows,
  formatRevoked,
  type PermissionRow,
  WRITABLE_LABELS,
  formatWritable,
  GUARD_LABELS,
  describeGuard,
} from "./format/permissions.ts";
export { eventLine } from "./format/event-line.ts";
export {
  describeTurn,
  formatExchange,
  formatReason,
  isOfExchange,
  outcomeLabel,
  parentTurn,
  type TurnActivity,
  type TurnDescription,
} from "./format/turn.ts";
export { sessionTitle } from "./format/session-title.ts";
export { answeredBy, answererOf } from "./requests/answerer.ts";
export { describeRequest, type DescribedRequest, isSpelledByAnother, namedTitle } from "./requests/describe-request.ts";
export { choiceByKey, type RequestChoice } from "./requests/choices.ts";
export { argumentFields, fieldText, type ArgumentField } from "./requests/argument-fields.ts";
export {
  Recording,
  REPLAY_EVENTS_MAX,
  createPace,
  createTimeline,
  PAUSE_MAX_MS,
  type Pace,
  type Timeline,
} from "./replay/recording.ts";
export { Player, type NextFrame, type PlayerOptions, type PlayerState } from "./replay/player.ts";
export {
  memberStyle,
  MEMBER_HUES,
  memberStyles,
  type MemberStyle,
  type MemberStyles,
} from "./selectors/member-styles.ts";
