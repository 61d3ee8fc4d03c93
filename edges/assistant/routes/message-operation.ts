/** `message`: sends a message and responds when a turn has started, or with the complete answer. */
import type { Clock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import { commandResult, type CommandResults, type Json, type SessionEvent } from "../../../src/protocol/index.ts";
import {
  describeTurn,
  loadedMessages,
  turnText,
  type Transcript,
  type TurnMessage,
} from "../../../src/transcript/index.ts";
import * as assistant from "../format/assistant.ts";
import { sendCommand, runCommand, type ServedHost } from "../../../src/server/index.ts";
import { CLIENT_ID, type SessionRoom } from "./session-room.ts";
import { sendTitled } from "./session-title.ts";

export interface MessageOrder {
  readonly content: string;
  readonly mode: "sync" | "async";
  readonly timeoutSeconds: number;
}

interface MessageDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
}

/** A second message would be answered after its client stopped waiting. */
const BUSY = {
  status: "busy",
  code: "session_busy",
  message: "The session is answering another message. Wait, or use another session.",
} as const;

export async function sendMessage(deps: MessageDeps, room: SessionRoom, order: MessageOrder): Promise<Json> {
  const { clock } = deps;
  const { content: text, mode, timeoutSeconds } = order;
  const { head } = room.transcript;
  const members = Object.values(head.members).filter((member) => member.seated);
  const base = {
    sessionId: room.name,
    sessionName: head.title === "" ? room.name : head.title,
    agentId: assistant.agentOf(members.map(({ name }) => name)),
    created: false,
  };
  if (Object.keys(head.openTurns).length > 0) return { ...base, ...BUSY };
  const startedMs = clock.monotonic();
  const run = watchRun(room);
  const limit = startLimit(clock, timeoutSeconds * 1000);
  try {
    const enqueued = await enqueueMessage(deps, room, { text, clientMessageId: run.clientMessageId });
    // Another client sent first.
    if (enqueued.placed === "queued" && (await removeQueued(deps, room, enqueued.messageId)))
      return { ...base, ...BUSY };
    const came = await Promise.race([mode === "async" ? run.begun : run.ended, run.lost, limit.passed]);
    if (came === "late") {
      const isWaiting = run.messageId() === undefined;
      if (!isWaiting || !(await removeQueued(deps, room, enqueued.messageId))) await stop(deps, room);
      const message = `There was no complete answer within ${timeoutSeconds} seconds.`;
      return { ...base, status: "timeout", timeoutSeconds, message };
    }
    if ("error" in came) return { ...base, status: "error", ...came };
    if (mode === "async") return { ...base, status: "started", ...came };
    const durationMs = Math.round(clock.monotonic() - startedMs);
    return { ...base, ...came, durationMs, ...outcomeOf(turnsOf(room.transcript, run.messageId())) };
  } finally {
    limit.cancel();
    run.stop();
  }
}

/** The id of the first turn that answers, or of the message when none does. */
type Came = { readonly responseId: string };
type Lost = { readonly error: string };

interface WatchedRun {
  readonly clientMessageId: string;
  /** Undefined while it is queued. */
  messageId(): string | undefined;
  readonly begun: Promise<Came>;
  /** All turns of the message have ended, and no recipient is pending. */
  readonly ended: Promise<Came>;
  /** It will not be answered, or not in this session. */
  readonly lost: Promise<Lost>;
  stop(): void;
}

function watchRun(room: SessionRoom): WatchedRun {
  const clientMessageId = `${assistant.OWN_MESSAGE_PREFIX}${newId()}`;
  const begun = Promise.withResolvers<Came>();
  const ended = Promise.withResolvers<Came>();
  const lost = Promise.withResolvers<Lost>();
  void room.ended.then(() => lost.resolve({ error: "The session was closed here before it answered." }));
  let messageId: string | undefined;
  let responseId: string | undefined;
  let isQueued = false;
  const stop = room.watch((event: SessionEvent) => {
    if (event.type === "user_message") {
      // Later events name its recipients.
      if (event.clientMessageId === clientMessageId) messageId = event.messageId;
      return;
    }
    if (event.type === "session_archived" && event.archived) {
      lost.resolve({ error: "The session was deleted before it answered." });
    }
    if (event.type === "queue_updated" && messageId === undefined) {
      const wasQueued = isQueued;
      isQueued = event.items.some((item) => item.clientMessageId === clientMessageId);
      // A sent item becomes a message before it leaves the queue.
      if (wasQueued && !isQueued) lost.resolve({ error: "The message was removed from the queue before it was sent." });
    }
    if (messageId === undefined) return;
    if (event.type === "turn_start" && event.rootMessageId === messageId) responseId ??= event.turnId;
    const isEnded = isOver(room.transcript, messageId);
    if (isEnded) responseId ??= messageId;
    if (responseId !== undefined) begun.resolve({ responseId });
    if (isEnded && responseId !== undefined) ended.resolve({ responseId });
  });
  const promises = { begun: begun.promise, ended: ended.promise, lost: lost.promise };
  return { clientMessageId, messageId: () => messageId, ...promises, stop };
}

function isOver({ head }: Transcript, messageId: string): boolean {
  const isRunning = Object.values(head.openTurns).some((turn) => turn.rootMessageId === messageId);
  return !isRunning && !Object.hasOwn(head.deliveries, messageId) && head.council.state !== "running";
}

function turnsOf(transcript: Transcript, messageId: string | undefined): TurnMessage[] {
  return [...loadedMessages(transcript)].filter(
    (message): message is TurnMessage => message.kind === "turn" && message.rootMessageId === messageId,
  );
}

function outcomeOf(turns: readonly TurnMessage[]): Record<string, Json> {
  const failed = turns.find((turn) => turn.end?.outcome !== "completed");
  const isAllFailed = turns.every((turn) => turn.end?.outcome !== "completed");
  if (isAllFailed) {
    const { label = "failed", why = "" } = (failed && describeTurn(failed).end) ?? {};
    return { status: "error", error: why === "" ? `The turn ended: ${label}.` : why };
  }
  const members = new Set(turns.map(({ member }) => member));
  const texts = turns.map((turn) => (members.size > 1 ? `${turn.member}: ${turnText(turn)}` : turnText(turn)));
  const toolCalls = turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.kind === "tool" ? [{ name: block.name, durationMs: Math.round(block.durationMs ?? 0) }] : [],
    ),
  );
  const reply = { response: texts.join("\n\n"), truncated: false };
  return { status: "complete", ...reply, toolCallCount: toolCalls.length, toolCalls };
}

async function enqueueMessage(
  deps: MessageDeps,
  room: SessionRoom,
  message: { text: string; clientMessageId: string },
): Promise<CommandResults["queue_add"]> {
  const command = { type: "queue_add", commandId: newId(), ...message } as const;
  const frame = { frame: "command", sessionId: room.sessionId, command } as const;
  const ack = await sendTitled(deps, room, message.text, () => sendCommand(deps, CLIENT_ID, frame));
  return commandResult("queue_add", ack);
}

/** False when it is not queued: already sent or removed. */
async function removeQueued(deps: MessageDeps, room: SessionRoom, messageId: string): Promise<boolean> {
  const command = { type: "queue_remove", commandId: newId(), messageId } as const;
  const ack = await sendCommand(deps, CLIENT_ID, { frame: "command", sessionId: room.sessionId, command });
  return ack.ok;
}

async function stop(deps: MessageDeps, room: SessionRoom): Promise<void> {
  const command = { type: "interrupt", commandId: newId(), scope: "own" } as const;
  await runCommand(deps, CLIENT_ID, room.sessionId, command);
}

function startLimit(clock: Clock, ms: number): { readonly passed: Promise<"late">; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<"late">();
  return { passed: promise, cancel: clock.after(ms, () => resolve("late")) };
}
