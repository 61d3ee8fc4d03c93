import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { createFakeClock, settle, type FakeClock } from "../../../test/session/fake-clock.ts";
import type {
  Ack,
  AnswerError,
  ClientFrame,
  Command,
  EventDraft,
  HostConnection,
  Json,
  SessionEvent,
} from "../../../src/protocol/index.ts";
import { empty, fold, toSnapshot } from "../../../src/transcript/index.ts";
import type { ServedHost } from "../../../src/server/routes/policies.ts";
import { sendMessage, type MessageOrder } from "./message-operation.ts";
import { SessionRooms } from "./session-room.ts";

const GONE: AnswerError = { code: "unknown_message", message: "It has already left the queue." };

/** A scripted host: queues every message and emits what the test passes. */
class PlayedHost {
  readonly asked: string[] = [];
  clientMessageId = "";
  /** Its reply to removing the message from the queue. */
  removal: "removed" | "gone" = "gone";
  readonly #log: SessionEvent[] = stamped([created(), joined("ada")]);
  #feed: HostConnection | undefined;

  asServed(): ServedHost {
    return { serve: (connection: HostConnection) => this.#serve(connection) } as unknown as ServedHost;
  }

  async broadcast(...drafts: readonly EventDraft[]): Promise<void> {
    const events = stamped(drafts, this.#log.length);
    this.#log.push(...events);
    this.#feed?.send({ frame: "events", sessionId: "session", events });
    await settle();
  }

  /** Sets whether the message is queued. */
  queue(isThere: boolean): EventDraft {
    const item = { messageId: "m1", text: "Hello", to: ["ada"], attachments: [], ts: 0 };
    return { type: "queue_updated", items: isThere ? [{ ...item, clientMessageId: this.clientMessageId }] : [] };
  }

  #serve(connection: HostConnection): void {
    connection.onClose(() => {});
    connection.onFrame((frame) => this.#answer(connection, frame));
  }

  #answer(connection: HostConnection, frame: ClientFrame): void {
    if (frame.frame === "hello") {
      connection.send({ frame: "welcome", protocol: 1, version: "0", hostId: "played" });
    } else if (frame.frame === "snapshot") {
      const { pages: _pages, ...snapshot } = toSnapshot(fold(empty("session"), this.#log));
      connection.send({ frame: "reply", id: frame.id, ok: true, result: snapshot as unknown as Json });
    } else if (frame.frame === "subscribe") {
      this.#feed = connection;
      connection.send({ frame: "reply", id: frame.id, ok: true, result: { epoch: 1, seq: this.#log.length } });
    } else if (frame.frame === "command") {
      connection.send({ frame: "ack", sessionId: "session", ack: this.#do(frame.command) });
    }
  }

  #do(command: Command): Ack {
    const { type, commandId } = command;
    this.asked.push(type);
    if (type === "queue_add") this.clientMessageId = command.clientMessageId;
    if (type === "queue_remove" && this.removal === "gone") return { commandId, ok: false, error: GONE };
    return { commandId, ok: true, seq: 3, result: { messageId: "m1", placed: "queued" } };
  }
}

interface Asked {
  readonly host: PlayedHost;
  readonly clock: FakeClock;
  readonly rooms: SessionRooms;
  readonly answers: Json[];
}

/** Sends a message; `answers` resolves with the result of the operation. */
async function ask(order: Partial<MessageOrder>, plays: Partial<PlayedHost> = {}): Promise<Asked> {
  const host = Object.assign(new PlayedHost(), plays);
  const clock = createFakeClock();
  const rooms = new SessionRooms({ host: host.asServed(), clock });
  const room = await rooms.open("session", "theirs");
  const answers: Json[] = [];
  const whole: MessageOrder = { content: "Hello", mode: "sync", timeoutSeconds: 5, ...order };
  void sendMessage({ host: host.asServed(), clock }, room, whole).then((answer) => answers.push(answer));
  await settle();
  return { host, clock, rooms, answers };
}

test.for(["sync", "async"] as const)(
  "a message (%s) that would be queued is withdrawn, and the answer is busy",
  async (mode) => {
    const { host, answers, clock } = await ask({ mode }, { removal: "removed" });
    expect(answers).toMatchObject([{ status: "busy", code: "session_busy" }]);
    expect([host.asked, clock.timers]).toStrictEqual([["queue_add", "queue_remove"], 0]);
  },
);

test.for(["sync", "async"] as const)(
  "a message (%s) that no member starts to answer times out, and is removed",
  async (mode) => {
    const { host, answers, clock } = await ask({ mode });
    await host.broadcast(host.queue(true));
    await clock.advance(4_999);
    expect(answers).toStrictEqual([]);
    host.removal = "removed";
    await clock.advance(1);
    expect(answers).toMatchObject([{ status: "timeout", timeoutSeconds: 5 }]);
    expect([host.asked, clock.timers]).toStrictEqual([["queue_add", "queue_remove", "queue_remove"], 0]);
  },
);

test("a message that leaves the queue unsent, or whose session goes away, is answered at once", async () => {
  const error = async (happens: (asked: Asked) => Promise<void>): Promise<unknown> => {
    const asked = await ask({});
    await asked.host.broadcast(asked.host.queue(true));
    expect(asked.answers).toStrictEqual([]);
    await happens(asked);
    await settle();
    expect(asked.clock.timers).toBe(0);
    return asked.answers;
  };
  expect(await error(({ host }) => host.broadcast(host.queue(false)))).toMatchObject([
    { status: "error", error: "The message was removed from the queue before it was sent." },
  ]);
  expect(await error(({ host }) => host.broadcast({ type: "session_archived", archived: true }))).toMatchObject([
    { status: "error", error: "The session was deleted before it answered." },
  ]);
  expect(await error(async ({ rooms }) => rooms.closeAll("over"))).toMatchObject([
    { status: "error", error: "The session was closed here before it answered." },
  ]);
});

test("a message that was sent after all is answered with its turn", async () => {
  const { host, answers, clock } = await ask({});
  await host.broadcast(host.queue(true));
  const { clientMessageId } = host;
  await host.broadcast(
    said("m1", ["ada"], { clientMessageId }),
    { type: "message_delivery", messageId: "m1", member: "ada", state: "pending" },
    host.queue(false),
    started("t1", "ada", { messageIds: ["m1"], rootMessageId: "m1" }),
    { type: "text_done", turnId: "t1", member: "ada", segmentId: "s1", text: "Hi." },
  );
  expect(answers).toStrictEqual([]);
  await host.broadcast(ended("t1", "ada"), {
    type: "message_delivery",
    messageId: "m1",
    member: "ada",
    state: "answered",
  });
  expect(answers).toMatchObject([{ status: "complete", responseId: "t1", response: "Hi." }]);
  expect(clock.timers).toBe(0);
});
