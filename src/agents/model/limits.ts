/** All limits of the built-in agent; tests use shorter ones. */
const KIB = 1024;
const MIB = 1024 * KIB;

export interface ModelAgentLimits {
  /** Attempts per model and answer. */
  readonly attemptsMax: number;
  readonly retryBaseMs: number;
  readonly retryMsMax: number;
  /** Longest retry delay that is accepted from a server. */
  readonly retryAfterMsMax: number;
  /** Silence: first reported as loading, then a timeout. */
  readonly quietMs: number;
  readonly firstByteMs: number;
  readonly silenceMs: number;
  /** After a complete reply, how long to wait for the end of the stream. */
  readonly afterFinishMs: number;
  /** After the end of a reply, how long to drain the connection for reuse. */
  readonly drainMs: number;
  readonly listMs: number;
  readonly replyBytesMax: number;
  readonly lineBytesMax: number;
  readonly errorBytesMax: number;
  readonly listBytesMax: number;
  /** Arguments of one tool call; longer ones are rejected. */
  readonly argsBytesMax: number;
  readonly callsPerReplyMax: number;
  /** Tool calls per turn; later ones are answered with rate_limit_tools. */
  readonly toolCallsMax: number;
  /** Replies with tool calls beyond that limit before the turn is ended. */
  readonly repliesOverBudgetMax: number;
  readonly toolsAtOnceMax: number;
  /** Nesting, concurrency, time and tool calls of subagents. */
  readonly subagentDepthMax: number;
  readonly subagentsAtOnceMax: number;
  readonly subagentMs: number;
  readonly subagentToolCallsMax: number;
  /** Size of one tool result, for the model and for the log. */
  readonly resultBytesMax: number;
  /** Streamed output of one tool. */
  readonly streamedBytesMax: number;
  /** Context window where neither server nor configuration names it. Undefined: no limit. */
  readonly windowTokens: number | undefined;
  /** Size of the conversation in memory, whatever the window. */
  readonly historyBytesMax: number;
  readonly steersMax: number;
  /** Time limit of a summary before the turn continues without it. */
  readonly summaryMs: number;
  /** How long an interrupted turn, and closing, wait for tools to end. */
  readonly goneMs: number;
  readonly lingerMs: number;
}

export const modelAgentLimits: ModelAgentLimits = {
  attemptsMax: 5,
  retryBaseMs: 500,
  retryMsMax: 30_000,
  retryAfterMsMax: 120_000,
  quietMs: 10_000,
  // Below the 300 s after which the HTTP client times out with a worse message.
  firstByteMs: 280_000,
  silenceMs: 120_000,
  afterFinishMs: 2_000,
  drainMs: 25,
  listMs: 3_000,
  replyBytesMax: 48 * MIB,
  lineBytesMax: 16 * MIB,
  errorBytesMax: 64 * KIB,
  listBytesMax: 4 * MIB,
  argsBytesMax: MIB,
  callsPerReplyMax: 64,
  toolCallsMax: 50,
  repliesOverBudgetMax: 2,
  toolsAtOnceMax: 8,
  subagentDepthMax: 2,
  subagentsAtOnceMax: 4,
  subagentMs: 900_000,
  subagentToolCallsMax: 30,
  resultBytesMax: 48 * KIB,
  streamedBytesMax: 256 * KIB,
  windowTokens: undefined,
  historyBytesMax: 8 * MIB,
  steersMax: 64,
  summaryMs: 120_000,
  goneMs: 1_000,
  lingerMs: 3_000,
};
