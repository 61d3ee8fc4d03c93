/**
 * A run is one user message with everything it started: its deliveries, and the turns that answer it with their text so
 * far. A queued message is a run in state "waiting".
 */
import type { DeliveryState, EventOf, Outcome, Usage } from "../../protocol/index.ts";
import {
  deliveriesOf,
  resolveMessage,
  turnText,
  type Delivery,
  type Head,
  type Page,
  type Transcript,
  type TurnMessage,
  type UserMessage,
} from "../../transcript/index.ts";
import { largest } from "../../kit/largest.ts";

/** Longer answers are truncated; the session's pages have all of them. */
const RUN_TEXT_CHARS_MAX = 256 * 1024;

export interface Run {
  /** The id of its message. */
  readonly runId: string;
  readonly sessionId: string;
  /** waiting: no turn has started. */
  readonly state: "waiting" | "running" | "ended";
  /** Of an ended run: whether all, some or none of its turns completed. */
  readonly outcome?: "completed" | "partly" | "failed";
  readonly text: string;
  readonly clientId?: string;
  readonly startedTs: number;
  readonly endedTs?: number;
  /** The addressees. */
  readonly members: readonly { readonly name: string; readonly state: DeliveryState; readonly reason?: string }[];
  /** Oldest first, without those replaced by a retry. */
  readonly turns: readonly RunTurn[];
}

export interface RunTurn {
  readonly turnId: string;
  readonly member: string;
  readonly cause: TurnMessage["cause"];
  readonly round?: number;
  readonly state: "running" | Outcome;
  readonly startedTs: number;
  readonly endedTs?: number;
  /** Its text so far. */
  readonly text: string;
  /** True when `text` is truncated. */
  readonly isCut: boolean;
  readonly reason?: string;
  readonly error?: EventOf<"turn_end">["error"];
  readonly usage?: Usage;
}

export interface RunSource {
  readonly transcript: Transcript;
  /** Loads a page that the transcript does not hold. */
  readonly page: (index: number) => Promise<Page>;
}

/** Undefined when the session has no such message. Reads pages from the newest backwards. */
export async function runById({ transcript, page }: RunSource, runId: string): Promise<Run | undefined> {
  const { head, frozen, live } = transcript;
  const waiting = waitingRuns(head).find((one) => one.runId === runId);
  if (waiting !== undefined) return waiting;
  const turns: TurnMessage[] = [];
  for (let index = frozen.length + live.length - 1; index >= 0; index -= 1) {
    const held = index < frozen.length ? frozen[index] : live[index - frozen.length];
    const messages = (held ?? (await page(index))).messages.map((message) => resolveMessage(head, message));
    for (const message of messages.toReversed()) {
      if (message.kind === "turn" && isOfRun(message, runId)) turns.unshift(message);
      if (message.kind === "user" && message.messageId === runId) return runOf(head, message, turns);
    }
  }
  return undefined;
}

/** Oldest first. */
export async function runsInFlight(source: RunSource): Promise<Run[]> {
  const { head } = source.transcript;
  const runs: Run[] = [];
  for (const runId of idsInFlight(head)) {
    const run = await runById(source, runId);
    if (run !== undefined) runs.push(run);
  }
  return [...runs.sort((a, b) => a.startedTs - b.startedTs), ...waitingRuns(head)];
}

function idsInFlight(head: Head): Set<string> {
  const messageIds = Object.values(head.openTurns).flatMap((turn) =>
    [turn.rootMessageId ?? [], turn.messageIds].flat(),
  );
  return new Set([...Object.keys(head.deliveries), ...messageIds]);
}

function isOfRun(turn: TurnMessage, runId: string): boolean {
  return turn.rootMessageId === runId || turn.messageIds.includes(runId);
}

function waitingRuns({ sessionId, queue }: Head): Run[] {
  return queue.map(({ messageId, text, ts, clientId }) => ({
    runId: messageId,
    sessionId,
    state: "waiting",
    text: text.slice(0, RUN_TEXT_CHARS_MAX),
    ...(clientId === undefined ? {} : { clientId }),
    startedTs: ts,
    members: [],
    turns: [],
  }));
}

function runOf(head: Head, message: UserMessage, turnMessages: readonly TurnMessage[]): Run {
  const { messageId, text, clientId, ts } = message;
  const deliveries = deliveriesOf(head, message);
  const names = [...new Set([...message.to, ...Object.keys(deliveries)])];
  const turns = turnMessages.map(runTurnOf);
  const isOpen = Object.hasOwn(head.deliveries, messageId) || turns.some((turn) => turn.state === "running");
  const state = !isOpen ? "ended" : turns.length === 0 ? "waiting" : "running";
  const endedTs = largest(
    turns.map((turn) => turn.endedTs ?? 0),
    ts,
  );
  return {
    runId: messageId,
    sessionId: head.sessionId,
    state,
    ...(isOpen ? {} : { outcome: outcomeOf(turns) }),
    text: text.slice(0, RUN_TEXT_CHARS_MAX),
    ...(clientId === undefined ? {} : { clientId }),
    startedTs: ts,
    ...(isOpen ? {} : { endedTs }),
    members: names.map((name) => runMemberOf(name, deliveries[name])),
    turns,
  };
}

function runMemberOf(name: string, delivery: Delivery | undefined): Run["members"][number] {
  const { state = "pending", reason } = delivery ?? {};
  return reason === undefined ? { name, state } : { name, state, reason };
}

function outcomeOf(turns: readonly RunTurn[]): NonNullable<Run["outcome"]> {
  const completed = turns.filter((turn) => turn.state === "completed").length;
  if (completed === 0) return "failed";
  return completed === turns.length ? "completed" : "partly";
}

function runTurnOf(turn: TurnMessage): RunTurn {
  const { turnId, member, cause, round, ts, usage, end } = turn;
  const text = turnText(turn);
  return {
    turnId,
    member,
    cause,
    ...(round === undefined ? {} : { round }),
    state: end?.outcome ?? "running",
    startedTs: ts,
    ...(end === undefined ? {} : { endedTs: end.ts }),
    text: text.slice(0, RUN_TEXT_CHARS_MAX),
    isCut: text.length > RUN_TEXT_CHARS_MAX,
    ...(end?.reason === undefined ? {} : { reason: end.reason }),
    ...(end?.error === undefined ? {} : { error: end.error }),
    ...(usage === undefined ? {} : { usage }),
  };
}
