/** `message`: says something in a session and answers when it was begun, or with everything that was answered. */
import type { Clock } from "../../../kit/clock.ts";
import { newId } from "../../../kit/ids.ts";
import type { Json, SessionEvent } from "../../../protocol/index.ts";
import { loadedMessages, turnText, type Transcript, type TurnMessage } from "../../../transcript/index.ts";
import { assistant } from "../../../wires/index.ts";
import { wish } from "../../ask-host.ts";
import type { ServedHost } from "../../route-policies.ts";
import { CLIENT_ID, type SessionRoom } from "./session-room.ts";

export interface MessageOrder {
  readonly content: string;
  readonly mode: "sync" | "async";
  readonly timeoutSeconds: number;
}

interface Parts {
  readonly host: ServedHost;
  readonly clock: Clock;
}

export async function sendMessage(parts: Parts, room: SessionRoom, order: MessageOrder): Promise<Json> {
  const { clock } = parts;
  const { head } = room.transcript;
  const members = Object.values(head.members).filter((member) => member.seated);
  const base = {
    sessionId: room.name,
    sessionName: head.title === "" ? room.name : head.title,
    agentId: assistant.agentOf(members.map(({ name }) => name)),
    created: false,
  };
  if (Object.keys(head.openTurns).length > 0) {
    const message = "The session is at work on another message. Wait, or take another session.";
    return { ...base, status: "busy", code: "session_busy", message };
  }
  const startedMs = clock.monotonic();
  const run = watchRun(room);
  try {
    await say(parts, room, { text: order.content, clientMessageId: run.clientMessageId });
    const responseId = await run.begun;
    if (order.mode === "async") return { ...base, status: "started", responseId };
    const { timeoutSeconds } = order;
    const isDone = await Promise.race([run.ended.then(() => true), sleep(clock, timeoutSeconds * 1000)]);
    if (!isDone) {
      await stop(parts, room);
      const message = `There was no whole answer within ${timeoutSeconds} seconds.`;
      return { ...base, status: "timeout", timeoutSeconds, message };
    }
    const durationMs = Math.round(clock.monotonic() - startedMs);
    return { ...base, responseId, durationMs, ...outcomeOf(turnsOf(room.transcript, run.messageId())) };
  } finally {
    run.stop();
  }
}

interface WatchedRun {
  readonly clientMessageId: string;
  messageId(): string | undefined;
  /** With the id of the first turn that answers. */
  readonly begun: Promise<string>;
  /** Every turn that goes back to the message has ended, and nobody has still to be asked. */
  readonly ended: Promise<void>;
  stop(): void;
}

function watchRun(room: SessionRoom): WatchedRun {
  const clientMessageId = `${assistant.OWN_MESSAGE_PREFIX}${newId()}`;
  const begun = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  let messageId: string | undefined;
  const stop = room.watch((event: SessionEvent) => {
    if (event.type === "user_message") {
      // Whom it goes to is said by the events that follow.
      if (event.clientMessageId === clientMessageId) messageId = event.messageId;
      return;
    }
    if (messageId === undefined) return;
    if (event.type === "turn_start" && event.rootMessageId === messageId) begun.resolve(event.turnId);
    if (isOver(room.transcript, messageId)) {
      begun.resolve(messageId);
      ended.resolve();
    }
  });
  return { clientMessageId, messageId: () => messageId, begun: begun.promise, ended: ended.promise, stop };
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
    const { error, reason, outcome = "errored" } = failed?.end ?? {};
    return { status: "error", error: error?.message ?? reason ?? `The turn ended: ${outcome}.` };
  }
  const members = new Set(turns.map(({ member }) => member));
  const texts = turns.map((turn) => (members.size > 1 ? `${turn.member}: ${turnText(turn)}` : turnText(turn)));
  const toolCalls = turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.kind === "tool" ? [{ name: block.name, durationMs: Math.round(block.durationMs ?? 0) }] : [],
    ),
  );
  const said = { response: texts.join("\n\n"), truncated: false };
  return { status: "complete", ...said, toolCallCount: toolCalls.length, toolCalls };
}

async function say(
  { host, clock }: Parts,
  room: SessionRoom,
  message: { text: string; clientMessageId: string },
): Promise<void> {
  const command = { type: "queue_add", commandId: newId(), ...message } as const;
  await wish({ host, clock }, CLIENT_ID, room.sessionId, command);
}

async function stop({ host, clock }: Parts, room: SessionRoom): Promise<void> {
  const command = { type: "interrupt", commandId: newId(), scope: "own" } as const;
  await wish({ host, clock }, CLIENT_ID, room.sessionId, command);
}

function sleep(clock: Clock, ms: number): Promise<false> {
  const { promise, resolve } = Promise.withResolvers<false>();
  clock.after(ms, () => resolve(false));
  return promise;
}
