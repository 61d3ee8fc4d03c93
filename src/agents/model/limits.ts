/** Every limit of the built-in agent on a model server, in one place; tests give shorter ones. */
const KIB = 1024;
const MIB = 1024 * KIB;

export interface ModelAgentLimits {
  /** Times one model is asked for one answer. */
  readonly attemptsMax: number;
  readonly retryBaseMs: number;
  readonly retryMsMax: number;
  /** A server that asks for a longer pause is not waited for. */
  readonly retryAfterMsMax: number;
  /** Without a sign of life: said as loading, then given up. */
  readonly quietMs: number;
  readonly firstByteMs: number;
  readonly silenceMs: number;
  /** After a reply is complete, how long its end is waited for. */
  readonly afterFinishMs: number;
  /** After a server has said that it is done, how long its connection is read for the sake of the next question. */
  readonly drainMs: number;
  readonly listMs: number;
  readonly replyBytesMax: number;
  readonly lineBytesMax: number;
  readonly errorBytesMax: number;
  readonly listBytesMax: number;
  /** Arguments of one tool call; longer ones are refused and not kept. */
  readonly argsBytesMax: number;
  readonly callsPerReplyMax: number;
  /** Tool calls of one turn that are run; those after it are answered with rate_limit_tools. */
  readonly toolCallsMax: number;
  /** Replies that go on calling tools after that, before the turn is ended. */
  readonly repliesOverBudgetMax: number;
  readonly toolsAtOnceMax: number;
  /** Subagents of subagents of the member, those at work at the same time, what each may take and call. */
  readonly subagentDepthMax: number;
  readonly subagentsAtOnceMax: number;
  readonly subagentMs: number;
  readonly subagentToolCallsMax: number;
  /** What one tool result may be, for the model and for the log. */
  readonly resultBytesMax: number;
  /** Output of one tool that is streamed while it runs. */
  readonly streamedBytesMax: number;
  /** Tokens the model takes, where neither its server nor its configuration tells. Null: as many as the server takes. */
  readonly windowTokens: number | null;
  /** What is remembered of a conversation, whatever the window. */
  readonly historyBytesMax: number;
  readonly steersMax: number;
  /** What the summary of older turns may take before the turn goes on without it. */
  readonly summaryMs: number;
  /** An interrupted turn waits this long for its tools to be gone, and closing this long. */
  readonly goneMs: number;
  readonly lingerMs: number;
}

export const modelAgentLimits: ModelAgentLimits = {
  attemptsMax: 5,
  retryBaseMs: 500,
  retryMsMax: 30_000,
  retryAfterMsMax: 120_000,
  quietMs: 10_000,
  // Below the 300 s after which the HTTP client gives up by itself, with a worse sentence.
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
  windowTokens: null,
  historyBytesMax: 8 * MIB,
  steersMax: 64,
  summaryMs: 120_000,
  goneMs: 1_000,
  lingerMs: 3_000,
};
