/** Every limit of a session, in one place. Hitting one is said aloud: a refusal, a warning or the end of a turn. */
const KIB = 1024;
const MIB = 1024 * KIB;

export const MEMBERS_MAX = 16;
export const QUEUE_ITEMS_MAX = 100;
/** One event carries the whole queue, so its items must fit into one together. */
export const QUEUE_BYTES_MAX = 224 * KIB;
export const PENDING_PER_MEMBER_MAX = 100;
export { ATTACHMENTS_MAX } from "../protocol/index.ts";
/** Larger images are refused by the services behind most agents. */
export const ATTACHED_IMAGE_BYTES_MAX = 5 * 1024 * 1024;
/** A longer text is named, not quoted. */
export const ATTACHED_TEXT_BYTES_MAX = 64 * 1024;
/** Of everything that is handed over with one turn. */
export const ATTACHED_BYTES_MAX = 20 * 1024 * 1024;

export const TEXT_BYTES_MAX = 5 * MIB;
/** Longer texts go to a blob and the event keeps their beginning. */
export const MESSAGE_TEXT_INLINE_MAX = 192 * KIB;
export const QUEUE_TEXT_INLINE_MAX = 16 * KIB;
export const TEXT_BEGINNING_BYTES = 8 * KIB;
/** What one turn is given at most when several messages wait for a member; the rest waits for the next turn. */
export const GIVEN_BYTES_MAX = 5 * MIB;
/** What a turn is told of what was said, however large its member's window is, and however small. */
export const MISSED_BYTES_MAX = MIB;
export const MISSED_BYTES_MIN = 4 * KIB;
/** The part of a member's window that what it reads may fill. */
export const WINDOW_FILL_MAX = 0.8;
/** For a member of whose window nothing is known. */
export const WINDOW_TOKENS_DEFAULT = 100_000;
/** A cautious guess: most texts have more. */
export const BYTES_PER_TOKEN = 3;
/** First lines in the summary of what was left out, and how long each is. */
export const LEFT_OUT_LINES_MAX = 40;
export const LEFT_OUT_LINE_CHARS_MAX = 160;

/** All the rounds that one discussion may have, however often the user adds some. */
export const ROUNDS_MAX = 100;

export { SEGMENT_BYTES_MAX } from "../transcript/index.ts";
export const TOOL_RESULT_INLINE_MAX = 64 * KIB;
export const TOOL_OUTPUT_CHUNK_MAX = 64 * KIB;
export const TOOL_HEAD_BYTES = 8 * KIB;
export const TOOL_TAIL_BYTES = 8 * KIB;
export const TOOL_CALLS_OPEN_MAX = 200;
/** Subagents that one turn may have at work, and how deep they may send others; whatever an agent says of its own limits. */
export const SUBAGENTS_OPEN_MAX = 16;
export const SUBAGENT_DEPTH_MAX = 8;
export const SUBAGENT_TEXT_BYTES_MAX = 32 * KIB;
/** All that one turn may say, think and print; beyond it the turn is ended as errored. */
export const TURN_OUTPUT_CHARS_MAX = 32 * MIB;

/** How long a turn's events wait for a blob before they go on without it. */
export const BLOB_WAIT_MS = 5_000;
export const BLOB_WAIT_EVENTS_MAX = 10_000;

export const REQUESTS_OPEN_MAX = 50;
export const REQUESTS_REMEMBERED_MAX = 200;
export const APPROVALS_REMEMBERED_MAX = 1_000;
/** Of all that decides about calls, what one listing names, and how much of each. */
export const PERMISSIONS_LISTED_MAX = 1_000;
export const PERMISSION_CHARS_MAX = 1_000;
export const ANSWER_BYTES_MAX = 192 * KIB;

/** A question may be so many members away from the user's message. */
export const EXCHANGE_DEPTH_MAX = 3;
export const EXCHANGES_PER_TURN_MAX = 8;
/** All that members ask each other because of one message of the user. */
export const EXCHANGES_PER_MESSAGE_MAX = 16;
/** How often the same two ask each other, either way, until the user writes again. */
export const EXCHANGES_PER_PAIR_MAX = 6;
/** Questions that wait for one busy member. */
export const QUESTIONS_WAITING_MAX = 8;
export const EXCHANGE_TEXT_BYTES_MAX = 32 * KIB;
export const EXCHANGE_ANSWER_BYTES_MAX = 48 * KIB;
/** Twice a turn's time, but shorter than the hour that agents give a tool of the table. */
export const EXCHANGE_MS_MAX = 50 * 60_000;
/** Answers kept for a member that did not wait and is not woken; the oldest go first. */
export const LATE_ANSWERS_MAX = 8;

export const MINUTES_BYTES_MAX = 64 * KIB;
/** What the writer of minutes is given of the conversation. */
export const MINUTES_GIVEN_BYTES_MAX = 160 * KIB;

/** Two members that change a file within this time are told of each other. */
export const COLLISION_MS = 60_000;
export const TOUCHES_REMEMBERED_MAX = 1_000;

/** How long an agent may take to let go after an interrupt before it is closed and replaced. */
export const GRACE_MS = 5_000;
/** How long closing waits for one agent. */
export const CLOSE_MS = 5_000;
/** The longest time a timer can hold. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** A step of a member's context that is longer goes to a blob. */
export const CONTEXT_ENTRY_INLINE_MAX = 64 * KIB;
/** What is read back of a member's context; no window holds more. */
export const CONTEXT_BYTES_MAX = 16 * MIB;
/** How long a compaction between turns may take. */
export const COMPACT_MS = 180_000;
export const FOCUS_CHARS_MAX = 4_000;
/** What one search in the log reads, finds and shows. */
export const HISTORY_EVENTS_MAX = 2_000_000;
export const HISTORY_MS_MAX = 5_000;
export const HISTORY_MATCHES_MAX = 20;
export const HISTORY_EXCERPT_CHARS = 400;
export const HISTORY_ENTRY_CHARS_MAX = 16_000;

export const SENDS_REMEMBERED_MAX = 100_000;
export const SNAPSHOT_EVERY_EVENTS = 2_000;
export const PAGES_RETAINED = 4;
