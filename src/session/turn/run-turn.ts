/**
 * Runs one turn of a member: opens it in the log, readies the agent, sends the turn and ends it. The agent is asked
 * only after `turn_start` is written, so that no agent works on a turn that the log does not know.
 */
import type {
  AgentEvent,
  ColdStart,
  Attached,
  ConversationHistory,
  TurnError,
  TurnInput,
  TurnPosition,
} from "../../agents/index.ts";
import { newId } from "../../kit/ids.ts";
import type { EventOf } from "../../protocol/index.ts";
import { noteTouches } from "./file-touches.ts";
import { noteCompacted } from "../context/compactions.ts";
import { answerExchange, leaveExchanges, consumeAnswers } from "../council/exchanges/exchanges.ts";
import { handleHostCall } from "./host-calls.ts";
import type { Missed } from "../context/missed-messages.ts";
import { TIMER_MS_MAX, TURN_OUTPUT_CHARS_MAX } from "../limits.ts";
import type { Message } from "../delivery/mailbox.ts";
import { systemPromptFor, turnContextFor, type TurnContext } from "../context/system-prompt.ts";
import { loadText, loadAttached } from "../delivery/message-text.ts";
import { storeMinutes } from "../council/minutes/minutes.ts";
import { isHistoryDue, readHistory } from "../context/read-history.ts";
import { unknownCostNote } from "./price.ts";
import { noteResume } from "../recovery/resume.ts";
import { startTimer } from "./pausable-timer.ts";
import { stepSteering, confirmSteered } from "./steer.ts";
import { memberOf, settingsOf, type RunningTurn, type SessionState, type TurnRequest } from "../state.ts";
import { withSubagents, type OwnTurnDeps } from "./subagents.ts";
import { Turn, type TurnEndFacts } from "./turn.ts";

/** Returns the turnId. */
export function startTurn(state: SessionState, request: TurnRequest): string {
  const { member, messages, rootMessageId, round } = request;
  const turnId = newId();
  const messageIds = messages.map((message) => message.messageId);
  const clientId = request.clientId ?? state.ledger.memory.mailbox.find(rootMessageId)?.clientId;
  const model = memberOf(state, member)?.model;
  noteResume(state);
  const { missed, systemPrompt, coldStart } = composeContext(state, request);
  state.held.delete(member);
  state.ledger.append(unknownCostNote(state, member));
  const [started] = state.ledger.append([
    {
      type: "turn_start",
      turnId,
      member,
      cause: request.cause,
      messageIds,
      rootMessageId,
      ...(round === undefined ? {} : { round }),
      ...(request.parentTurnId === undefined ? {} : { parentTurnId: request.parentTurnId }),
      ...(request.toolCallId === undefined ? {} : { toolCallId: request.toolCallId }),
      ...(request.agentExchangeId === undefined ? {} : { agentExchangeId: request.agentExchangeId }),
      depth: request.depth ?? 0,
      ...(request.replaces === undefined ? {} : { replaces: request.replaces }),
      ...givenRange(messages, missed),
      ...(systemPrompt === undefined ? {} : { brief: systemPrompt.hash }),
      ...(model === undefined ? {} : { model }),
    },
  ]);
  const turn = new Turn(
    { turnId, member, messageIds, rootMessageId, round, clientId },
    withSubagents(state, turnDeps(state)),
  );
  const timeoutMs = Math.min(settingsOf(state).timeout * 1000, TIMER_MS_MAX);
  const timer = startTimer(state.clock, timeoutMs, () => timeOut(state, running, timeoutMs));
  const running: RunningTurn = {
    turn,
    cancelTimeout: timer.cancel,
    pauseTimeout: timer.pause,
    isSent: false,
    steering: undefined,
    toSteer: [],
  };
  state.turns.set(member, running);
  const position = started?.type === "turn_start" ? positionOf(started) : undefined;
  void handOver(state, running, {
    messages,
    missed,
    systemPrompt: systemPrompt?.text,
    coldStart,
    text: request.text,
    from: request.from,
    position,
  });
  return turnId;
}

/** Answers to the member's own questions come last. A retry gets the same context as the turn it replaces. */
function composeContext(state: SessionState, request: TurnRequest): TurnContext {
  const context = turnContextFor(state, request);
  if (request.missed !== undefined) {
    const given = { messages: request.missed, cut: request.missedCut ?? 0, fromSeq: 0, toSeq: 0 };
    return withMissed(context, () => given);
  }
  if (request.replaces !== undefined) return context;
  const answers = consumeAnswers(state, request.member);
  return withMissed(context, (missed) => ({ ...missed, messages: [...missed.messages, ...answers] }));
}

function withMissed(context: TurnContext, change: (missed: Missed) => Missed): TurnContext {
  const { coldStart } = context;
  const changed = { ...context, missed: change(context.missed) };
  if (coldStart === undefined) return changed;
  return {
    ...changed,
    coldStart: () => {
      const fresh = coldStart();
      return { ...fresh, missed: change(fresh.missed) };
    },
  };
}

/** Settles the turn in the log at once; the caller stops the agent afterwards. */
export function endTurn(state: SessionState, running: RunningTurn, end: TurnEndFacts): void {
  running.cancelTimeout();
  state.turns.delete(running.turn.identity.member);
  if (end.outcome === "interrupted") state.held.add(running.turn.identity.member);
  // Later output of its agent is not in the log.
  if (end.outcome !== "completed") state.staleContexts.add(running.turn.identity.member);
  leaveExchanges(state, running.turn, end);
  running.turn.settle(end);
  answerExchange(state, running.turn, end);
  storeMinutes(state, running.turn, end);
}

interface Given {
  readonly messages: readonly Message[];
  readonly missed: Missed;
  readonly systemPrompt: string | undefined;
  readonly coldStart: TurnContext["coldStart"];
  readonly text: string | undefined;
  readonly from: TurnInput["from"] | undefined;
  readonly position: TurnPosition | undefined;
}

function positionOf({ seq, given, messageIds }: EventOf<"turn_start">): TurnPosition {
  return { seq, fromSeq: given?.fromSeq ?? seq, messageIds };
}

async function handOver(state: SessionState, running: RunningTurn, given: Given): Promise<void> {
  const { messages, missed, systemPrompt, coldStart, from, position } = given;
  const { turn } = running;
  const { turnId, member, round } = turn.identity;
  const runtime = state.runtimeOf(member);
  let error: TurnError | undefined;
  let texts: readonly string[] = [];
  let attached: readonly Attached[] = [];
  const attachments = messages.flatMap((message) => message.attachments);
  let context: Partial<ColdStart> & { history?: ConversationHistory } = {};
  try {
    const compaction = state.compactions.get(member);
    if (compaction !== undefined) await compaction.done;
    [error, texts, attached] = await Promise.all([
      runtime.ready(() => !turn.isSettled),
      Promise.all(messages.map((message) => loadText(state.ledger.log.blobs, message))),
      loadAttached(state.ledger.log.blobs, attachments),
      // Written, not synced: the sync runs beside the agent's first steps, and nothing of the turn is published before
      // it is done.
      state.ledger.written(),
    ]);
    if (error === undefined && isHistoryDue(state, member)) {
      context = await historyFor(state, member, { systemPrompt, coldStart: given.coldStart });
    }
  } catch (thrown) {
    error = { code: "turn_start", message: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  if (turn.isSettled) return;
  if (error !== undefined) {
    failTurn(state, running, error);
    return;
  }
  running.isSent = true;
  state.staleContexts.delete(member);
  turn.markDelivered();
  const model = memberOf(state, member)?.model;
  const thrown = runtime.sendTurn({
    kind: "turn",
    turnId,
    text: given.text ?? texts.join("\n\n"),
    ...(from === undefined ? {} : { from }),
    attachments,
    ...(attached.length === 0 ? {} : { attached }),
    ...(model === undefined ? {} : { model }),
    ...(round === undefined ? {} : { round, ...roundsOf(state, turn) }),
    self: member,
    ...(position === undefined ? {} : { position }),
    ...contextFields(missed, systemPrompt),
    ...context,
    ...(coldStart === undefined ? {} : { coldStart: () => coldStartFields(coldStart) }),
  });
  if (thrown !== undefined) failTurn(state, running, thrown);
  else stepSteering(state, running);
}

/** The member's context from the log; when unreadable, the conversation from its beginning. */
async function historyFor(
  state: SessionState,
  member: string,
  { systemPrompt, coldStart }: { systemPrompt: string | undefined; coldStart: TurnContext["coldStart"] },
): Promise<Partial<ColdStart> & { history?: ConversationHistory }> {
  try {
    const history = await readHistory(state, member);
    return { history, systemPrompt: systemPrompt ?? systemPromptFor(state, member).text };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `The context of ${member} could not be read from the log (${why}); it gets the text of the conversation instead.`;
    state.ledger.append([{ type: "warning", member, code: "context_not_read", message }]);
    const history: ConversationHistory = { pinned: [], turns: [] };
    return coldStart === undefined ? { history } : { history, ...coldStartFields(coldStart) };
  }
}

function contextFields(missed: Missed, systemPrompt: string | undefined): ColdStart {
  return {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(missed.leftOut === undefined ? {} : { leftOut: missed.leftOut }),
    ...(missed.messages.length === 0 ? {} : { missed: missed.messages }),
    ...(missed.cut === 0 ? {} : { missedCut: missed.cut }),
  };
}

function coldStartFields(coldStart: NonNullable<TurnContext["coldStart"]>): ColdStart {
  const { missed, systemPrompt } = coldStart();
  return contextFields(missed, systemPrompt.text);
}

function failTurn(state: SessionState, running: RunningTurn, error: TurnError): void {
  if (running.turn.isSettled) return;
  endTurn(state, running, { outcome: "errored", reason: error.code, error });
  state.schedule();
}

function timeOut(state: SessionState, running: RunningTurn, timeoutMs: number): void {
  if (running.turn.isSettled) return;
  stopTurn(state, running, timedOut(running.turn.identity.member, timeoutMs));
}

export function timedOut(member: string, timeoutMs: number): TurnEndFacts {
  const message = `${member} took longer than ${timeoutMs / 1000} s and was stopped.`;
  return { outcome: "timed_out", reason: "timeout", error: { code: "timeout", message } };
}

/** Ends the turn, interrupts the agent, then starts waiting work. */
function stopTurn(state: SessionState, running: RunningTurn, end: TurnEndFacts): void {
  endTurn(state, running, end);
  state.runtimeOf(running.turn.identity.member).interrupt();
  state.schedule();
}

function turnDeps(state: SessionState): OwnTurnDeps {
  const { ledger } = state;
  const runningOf = (turn: Turn): RunningTurn | undefined => {
    const running = state.turns.get(turn.identity.member);
    return running?.turn === turn ? running : undefined;
  };
  return {
    clock: state.clock,
    ledger,
    appendWork(drafts) {
      ledger.append(drafts);
      noteTouches(state, drafts);
    },
    putBlob: (bytes) => ledger.log.blobs.put(bytes),
    onDone(turn, done) {
      const running = runningOf(turn);
      if (running === undefined) return;
      endTurn(state, running, endFacts(done));
      state.schedule();
    },
    onRequest(turn, request, toolCallId) {
      state.requests.open(turn, request, toolCallId, settingsOf(state).request_timeout * 1000);
    },
    onWithdrawn: (turn, callId) => state.requests.withdraw(turn, callId),
    onHostCall: (turn, call) => handleHostCall(state, turn, call),
    onSteered(turn, messageId) {
      const running = runningOf(turn);
      if (running !== undefined) confirmSteered(state, running, messageId);
    },
    onCompacted(turn, event) {
      if (runningOf(turn) !== undefined) noteCompacted(state, turn.identity.member, event, turn.identity.turnId);
    },
    onOverflow(turn) {
      const running = runningOf(turn);
      if (running === undefined) return;
      const message = `The turn exceeded ${TURN_OUTPUT_CHARS_MAX} characters and was stopped.`;
      stopTurn(state, running, {
        outcome: "errored",
        reason: "output_limit",
        error: { code: "output_limit", message },
      });
    },
    cancelRequests: (turn) => state.requests.cancelOf(turn),
    wallOf(member) {
      const guard = memberOf(state, member)?.guard?.kind;
      const isWritable = settingsOf(state).writable;
      const isHeld = guard === "sandbox" || (!isWritable && (guard === "own_mode" || guard === "asks_first"));
      return isHeld ? { isWritable, cwd: state.ledger.transcript.head.cwd } : undefined;
    },
  };
}

function endFacts(done: Extract<AgentEvent, { type: "turn_done" }>): TurnEndFacts {
  return {
    outcome: done.outcome,
    ...(done.reason === undefined ? {} : { reason: done.reason }),
    ...(done.error === undefined ? {} : { error: done.error }),
    ...(done.usage === undefined ? {} : { usage: done.usage }),
  };
}

/** From the oldest message given in full to the newest, so that nothing is repeated. */
function givenRange(messages: readonly Message[], missed: Missed): { given?: { fromSeq: number; toSeq: number } } {
  const messageSeqs = messages.map((message) => message.seq);
  const toSeq = Math.max(missed.toSeq, ...messageSeqs);
  if (toSeq === 0) return {};
  const seqs = [...messageSeqs, missed.fromSeq].filter((seq) => seq > 0);
  return { given: { fromSeq: Math.min(toSeq, ...seqs), toSeq } };
}

function roundsOf(state: SessionState, { identity }: Turn): { rounds?: number } {
  const { round } = state.ledger.transcript.head;
  return round?.rootMessageId === identity.rootMessageId ? { rounds: round.of } : {};
}
