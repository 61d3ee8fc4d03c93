/** All limits of a session. Reaching one is always reported: as a refusal, a warning or the end of a turn. */
const KIB = 1024;
const MIB = 1024 * KIB;

export const MEMBERS_MAX = 16;
export const QUEUE_ITEMS_MAX = 100;
/** One event carries the whole queue. */
export const QUEUE_BYTES_MAX = 224 * KIB;
export const PENDING_PER_MEMBER_MAX = 100;
export { ATTACHMENTS_MAX } from "../protocol/index.ts";
/** Most providers reject larger images. */
export const ATTACHED_IMAGE_BYTES_MAX = 5 * 1024 * 1024;
/** Longer texts are named, not quoted. */
export const ATTACHED_TEXT_BYTES_MAX = 64 * 1024;
/** Per turn. */
export const ATTACHED_BYTES_MAX = 20 * 1024 * 1024;

export const TEXT_BYTES_MAX = 5 * MIB;
/** Longer texts go to a blob; the event keeps a preview. */
export const MESSAGE_TEXT_INLINE_MAX = 192 * KIB;
export const QUEUE_TEXT_INLINE_MAX = 16 * KIB;
export const TEXT_BEGINNING_BYTES = 8 * KIB;
/** Pending messages given to one turn; the rest waits for the next. */
export const GIVEN_BYTES_MAX = 5 * MIB;
/** Missed messages given to a turn, whatever the window size. */
export const MISSED_BYTES_MAX = MIB;
export const MISSED_BYTES_MIN = 4 * KIB;
/** Share of a member's window that its input may fill. */
export const WINDOW_FILL_MAX = 0.8;
/** For members with an unknown window. */
export const WINDOW_TOKENS_DEFAULT = 100_000;
/** Conservative: most texts have more. */
export const BYTES_PER_TOKEN = 3;
/** Lines in the summary of omitted messages, and their length. */
export const LEFT_OUT_LINES_MAX = 40;
export const LEFT_OUT_LINE_CHARS_MAX = 160;

/** Rounds of one discussion, however often the user adds some. */
export const ROUNDS_MAX = 100;

export { SEGMENT_BYTES_MAX } from "../transcript/index.ts";
export const TOOL_RESULT_INLINE_MAX = 64 * KIB;
export const TOOL_OUTPUT_CHUNK_MAX = 64 * KIB;
export const TOOL_HEAD_BYTES = 8 * KIB;
export const TOOL_TAIL_BYTES = 8 * KIB;
export const TOOL_CALLS_OPEN_MAX = 200;
/** Concurrent subagents of one turn and their depth, whatever the agent's own limits. */
export const SUBAGENTS_OPEN_MAX = 16;
export const SUBAGENT_DEPTH_MAX = 8;
export const SUBAGENT_TEXT_BYTES_MAX = 32 * KIB;
/** Text, thinking and tool output of one turn; beyond it the turn ends as errored. */
export const TURN_OUTPUT_CHARS_MAX = 32 * MIB;

/** How long a turn's events wait for a blob before they continue without it. */
export const BLOB_WAIT_MS = 5_000;
export const BLOB_WAIT_EVENTS_MAX = 10_000;

export const REQUESTS_OPEN_MAX = 50;
export const REQUESTS_REMEMBERED_MAX = 200;
export const APPROVALS_REMEMBERED_MAX = 1_000;
/** Entries in one permission listing, and characters of each. */
export const PERMISSIONS_LISTED_MAX = 1_000;
export const PERMISSION_CHARS_MAX = 1_000;
export const ANSWER_BYTES_MAX = 192 * KIB;

/** Hops of a question from the user's message. */
export const EXCHANGE_DEPTH_MAX = 3;
export const EXCHANGES_PER_TURN_MAX = 8;
/** Questions between members because of one user message. */
export const EXCHANGES_PER_MESSAGE_MAX = 16;
/** Questions between the same two members, in either direction, until the user writes again. */
export const EXCHANGES_PER_PAIR_MAX = 6;
/** Questions waiting for one busy member. */
export const QUESTIONS_WAITING_MAX = 8;
export const EXCHANGE_TEXT_BYTES_MAX = 32 * KIB;
export const EXCHANGE_ANSWER_BYTES_MAX = 48 * KIB;
/** Twice the turn timeout, but below the hour that agents allow a tool call. */
export const EXCHANGE_MS_MAX = 50 * 60_000;
/** Undelivered answers for a member that did not wait; the oldest are dropped. */
export const LATE_ANSWERS_MAX = 8;

export const MINUTES_BYTES_MAX = 64 * KIB;
/** Input for the writer of minutes. */
export const MINUTES_GIVEN_BYTES_MAX = 160 * KIB;

/** Two members that change a file within this time get a warning. */
export const COLLISION_MS = 60_000;
export const TOUCHES_REMEMBERED_MAX = 1_000;

/** Time for an agent to stop after an interrupt before it is replaced. */
export const GRACE_MS = 5_000;
/** Time for one agent to exit on close. */
export const CLOSE_MS = 5_000;
/** Longest timer. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Longer context entries go to a blob. */
export const CONTEXT_ENTRY_INLINE_MAX = 64 * KIB;
/** Context read back for a member; no window holds more. */
export const CONTEXT_BYTES_MAX = 16 * MIB;
/** Timeout of a compaction between turns. */
export const COMPACT_MS = 180_000;
export const FOCUS_CHARS_MAX = 4_000;
/** Limits of one search in the log. */
export const HISTORY_EVENTS_MAX = 2_000_000;
export const HISTORY_MS_MAX = 5_000;
export const HISTORY_MATCHES_MAX = 20;
export const HISTORY_EXCERPT_CHARS = 400;
export const HISTORY_ENTRY_CHARS_MAX = 16_000;

export const SENDS_REMEMBERED_MAX = 100_000;
export const SNAPSHOT_EVERY_EVENTS = 2_000;
export const PAGES_RETAINED = 4;
