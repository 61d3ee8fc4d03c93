/**
 * Asks one member: opens the turn in the log, readies the agent, hands the turn over and ends it.
 * The agent is asked only after `turn_start` is durable, so no agent ever works on a turn the log does not know.
 */
import type { AgentEvent, TurnError } from "../agents/index.ts";
import { newId } from "../kit/ids.ts";
import type { DraftOf } from "../protocol/index.ts";
import { takeHostCall } from "./host-calls.ts";
import { missedBy, type Missed } from "./heard.ts";
import { TIMER_MS_MAX, TURN_OUTPUT_BYTES_MAX } from "./limits.ts";
import type { Message } from "./mailbox.ts";
import { loadText } from "./message-text.ts";
import { stepSteering, takeSteered } from "./steer.ts";
import { memberOf, settingsOf, type RunningTurn, type Table } from "./table.ts";
import { Turn, type TurnEndFacts, type TurnSurroundings } from "./turn.ts";

export interface Ask {
  readonly member: string;
  readonly messages: readonly Message[];
  readonly rootMessageId: string;
  readonly round?: number | undefined;
  readonly cause: DraftOf<"turn_start">["cause"];
  readonly replaces?: string;
}

export function startTurn(table: Table, ask: Ask): void {
  const { member, messages, rootMessageId, round } = ask;
  const turnId = newId();
  const messageIds = messages.map((message) => message.messageId);
  const clientId = table.ledger.memory.mailbox.find(rootMessageId)?.clientId;
  const model = memberOf(table, member)?.model;
  const missed = missedBy(table.ledger.transcript, ask);
  table.held.delete(member);
  table.ledger.append([
    {
      type: "turn_start",
      turnId,
      member,
      cause: ask.cause,
      messageIds,
      rootMessageId,
      ...(round === undefined ? {} : { round }),
      depth: 0,
      ...(ask.replaces === undefined ? {} : { replaces: ask.replaces }),
      ...givenRange(messages, missed),
      ...(model === undefined ? {} : { model }),
    },
  ]);
  const turn = new Turn({ turnId, member, messageIds, rootMessageId, round, clientId }, surroundingsOf(table));
  const timeoutMs = Math.min(settingsOf(table).timeout * 1000, TIMER_MS_MAX);
  const running: RunningTurn = {
    turn,
    cancelTimeout: table.clock.after(timeoutMs, () => timeOut(table, running, timeoutMs)),
    isSent: false,
    steering: undefined,
    toSteer: [],
  };
  table.turns.set(member, running);
  void handOver(table, running, { messages, missed });
}

/** Settles the turn in the log at once; whoever stops it tells the agent afterwards. */
export function endTurn(table: Table, running: RunningTurn, end: TurnEndFacts): void {
  running.cancelTimeout();
  table.turns.delete(running.turn.identity.member);
  if (end.outcome === "interrupted") table.held.add(running.turn.identity.member);
  running.turn.settle(end);
}

interface Given {
  readonly messages: readonly Message[];
  readonly missed: Missed;
}

async function handOver(table: Table, running: RunningTurn, { messages, missed }: Given): Promise<void> {
  const { turn } = running;
  const { turnId, member, round } = turn.identity;
  const seat = table.seatOf(member);
  let fault: TurnError | undefined;
  let texts: readonly string[] = [];
  try {
    [fault, texts] = await Promise.all([
      seat.ready(() => !turn.isSettled),
      Promise.all(messages.map((message) => loadText(table.ledger.log.blobs, message))),
      table.ledger.committed(),
    ]);
  } catch (thrown) {
    fault = { code: "turn_start", message: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  if (turn.isSettled) return;
  if (fault !== undefined) {
    failTurn(table, running, fault);
    return;
  }
  running.isSent = true;
  turn.markDelivered();
  const model = memberOf(table, member)?.model;
  const thrown = seat.sendTurn({
    kind: "turn",
    turnId,
    text: texts.join("\n\n"),
    attachments: messages.flatMap((message) => message.attachments),
    ...(model === undefined ? {} : { model }),
    ...(round === undefined ? {} : { round }),
    ...(missed.heard.length === 0 ? {} : { heard: missed.heard }),
    ...(missed.cut === 0 ? {} : { heardCut: missed.cut }),
  });
  if (thrown !== undefined) failTurn(table, running, thrown);
  else stepSteering(table, running);
}

function failTurn(table: Table, running: RunningTurn, error: TurnError): void {
  if (running.turn.isSettled) return;
  endTurn(table, running, { outcome: "errored", reason: error.code, error });
  table.flow();
}

function timeOut(table: Table, running: RunningTurn, timeoutMs: number): void {
  if (running.turn.isSettled) return;
  const message = `The turn took longer than ${timeoutMs / 1000} s and was stopped.`;
  stopTurn(table, running, { outcome: "timed_out", reason: "timeout", error: { code: "timed_out", message } });
}

/** Ends the turn and makes the agent let go of it; then whatever waits may start. */
function stopTurn(table: Table, running: RunningTurn, end: TurnEndFacts): void {
  endTurn(table, running, end);
  table.seatOf(running.turn.identity.member).interrupt();
  table.flow();
}

function surroundingsOf(table: Table): TurnSurroundings {
  const { ledger } = table;
  const runningOf = (turn: Turn): RunningTurn | undefined => {
    const running = table.turns.get(turn.identity.member);
    return running?.turn === turn ? running : undefined;
  };
  return {
    clock: table.clock,
    append: (drafts) => void ledger.append(drafts),
    putBlob: (bytes) => ledger.log.blobs.put(bytes),
    onDone(turn, done) {
      const running = runningOf(turn);
      if (running === undefined) return;
      endTurn(table, running, endFacts(done));
      table.flow();
    },
    onRequest(turn, request, toolCallId) {
      table.requests.open(turn, request, toolCallId, settingsOf(table).request_timeout * 1000);
    },
    onWithdrawn: (turn, callId) => table.requests.withdraw(turn, callId),
    onHostCall: (turn, call) => takeHostCall(table, turn, call),
    onSteered(turn, messageId) {
      const running = runningOf(turn);
      if (running !== undefined) takeSteered(table, running, messageId);
    },
    onOverflow(turn) {
      const running = runningOf(turn);
      if (running === undefined) return;
      const message = `The turn said more than ${TURN_OUTPUT_BYTES_MAX} characters and was stopped.`;
      stopTurn(table, running, {
        outcome: "errored",
        reason: "output_limit",
        error: { code: "output_limit", message },
      });
    },
    cancelRequests: (turn) => table.requests.cancelOf(turn),
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

/** Up to the newest that the member is told of, asked or overheard, so that nothing is told to it again. */
function givenRange(messages: readonly Message[], { toSeq }: Missed): { given?: { fromSeq: number; toSeq: number } } {
  const asked = messages.map((message) => message.seq);
  if (asked.length === 0 && toSeq === 0) return {};
  return { given: { fromSeq: asked[0] ?? toSeq, toSeq: Math.max(toSeq, ...asked) } };
}
