/** Every limit of a session, in one place. Hitting one is said aloud: a refusal, a warning or the end of a turn. */
const KIB = 1024;
const MIB = 1024 * KIB;

export const MEMBERS_MAX = 16;
export const QUEUE_ITEMS_MAX = 100;
/** One event carries the whole queue, so its items must fit into one together. */
export const QUEUE_BYTES_MAX = 224 * KIB;
export const PENDING_PER_MEMBER_MAX = 100;
export const ATTACHMENTS_MAX = 32;

export const TEXT_BYTES_MAX = 5 * MIB;
/** Longer texts go to a blob and the event keeps their beginning. */
export const MESSAGE_TEXT_INLINE_MAX = 192 * KIB;
export const QUEUE_TEXT_INLINE_MAX = 16 * KIB;
export const TEXT_BEGINNING_BYTES = 8 * KIB;
/** What one turn is given at most when several messages wait for a member; the rest waits for the next turn. */
export const GIVEN_BYTES_MAX = 5 * MIB;
/** What a turn is told of what others said meanwhile. */
export const HEARD_BYTES_MAX = 64 * KIB;

export const SEGMENT_BYTES_MAX = 128 * KIB;
export const JOIN_MS = 30;
export const TOOL_RESULT_INLINE_MAX = 64 * KIB;
export const TOOL_OUTPUT_PIECE_MAX = 64 * KIB;
export const TOOL_HEAD_BYTES = 8 * KIB;
export const TOOL_TAIL_BYTES = 8 * KIB;
export const TOOL_CALLS_OPEN_MAX = 200;
/** All that one turn may say, think and print; beyond it the turn is ended as errored. */
export const TURN_OUTPUT_BYTES_MAX = 32 * MIB;

/** How long a turn's events wait for a blob before they go on without it. */
export const BLOB_WAIT_MS = 5_000;
export const BLOB_WAIT_EVENTS_MAX = 10_000;

export const REQUESTS_OPEN_MAX = 50;
export const REQUESTS_REMEMBERED_MAX = 200;
export const ANSWER_BYTES_MAX = 192 * KIB;

/** How long an agent may take to let go after an interrupt before it is closed and replaced. */
export const GRACE_MS = 5_000;
/** How long closing waits for one agent. */
export const CLOSE_MS = 5_000;
/** The longest time a timer can hold. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

export const SENDS_REMEMBERED_MAX = 100_000;
export const SNAPSHOT_EVERY_EVENTS = 2_000;
export const PAGES_KEPT = 4;
