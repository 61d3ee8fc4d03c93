import { expect, test } from "vitest";
import { created, joined } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { createFakeClock, settle } from "../../../test/session/fake-clock.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import type { ClientFrame, HostConnection, Json, SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fold, toSnapshot } from "../../../src/transcript/index.ts";
import type { ServedHost } from "../../../src/server/routes/policies.ts";
import { HELD_CHARS_MAX, SessionRooms, type RoomListener } from "./session-room.ts";

const turn = { turnId: "t1", member: "ada" };
const log = stamped([
  created(),
  joined("ada"),
  { type: "turn_start", ...turn, cause: "user", messageIds: [], depth: 0 },
  { type: "text_delta", ...turn, segmentId: "s", text: "one" },
  { type: "text_delta", ...turn, segmentId: "s", text: " two" },
  { type: "text_delta", ...turn, segmentId: "s", text: " three" },
]);

/** A scripted host: a snapshot up to `known`, then whatever the test passes. */
class PlayedHost {
  known = 4;
  isUnknown = false;
  readonly asked: string[] = [];
  #connection: HostConnection | undefined;

  asServed(): ServedHost {
    return { serve: (connection: HostConnection) => this.#serve(connection) } as unknown as ServedHost;
  }

  emit(events: readonly SessionEvent[]): void {
    this.#connection?.send({ frame: "events", sessionId: "session", events });
  }

  resync(): void {
    this.#connection?.send({ frame: "resync", sessionId: "session", reason: "too slow" });
  }

  #serve(connection: HostConnection): void {
    this.#connection = connection;
    connection.onClose(() => this.asked.push("closed"));
    connection.onFrame((frame) => this.#answer(connection, frame));
  }

  #answer(connection: HostConnection, frame: ClientFrame): void {
    this.asked.push(frame.frame);
    if (frame.frame === "hello") {
      connection.send({ frame: "welcome", protocol: 1, version: "0", hostId: "played" });
    } else if (frame.frame === "snapshot" && this.isUnknown) {
      const error = { code: "unknown_session" as const, message: "There is none." };
      connection.send({ frame: "reply", id: frame.id, ok: false, error });
    } else if (frame.frame === "snapshot") {
      const { pages: _pages, ...snapshot } = toSnapshot(fold(empty("session"), log.slice(0, this.known)));
      connection.send({ frame: "reply", id: frame.id, ok: true, result: snapshot as unknown as Json });
    } else if (frame.frame === "subscribe") {
      connection.send({ frame: "reply", id: frame.id, ok: true, result: { epoch: 1, seq: this.known } });
    }
  }
}

function listen(): { listener: RoomListener; heard: string[]; until: (count: number) => Promise<void> } {
  const heard: string[] = [];
  let wake = () => {};
  const note = (what: string) => {
    heard.push(what);
    wake();
  };
  const listener: RoomListener = {
    knowsInteractions: () => false,
    onFrame: ({ frame }) => note(frame.type === "text_delta" ? frame.delta : frame.type),
    restart: () => note("restart"),
    lost: (reason) => note(`lost: ${reason}`),
  };
  const until = async (count: number) => {
    while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { listener, heard, until };
}

test("a room continues from its snapshot; when the host restarts the feed, listeners are told to reload", async () => {
  const host = new PlayedHost();
  const rooms = new SessionRooms({ host: host.asServed(), clock: systemClock });
  const room = await rooms.open("session", "theirs");
  const { listener, heard, until } = listen();
  room.enter(listener);
  host.emit(log.slice(4, 5));
  await until(2);
  expect(heard).toStrictEqual([" two", "chat_event"]);
  host.known = 6;
  host.resync();
  await until(3);
  expect([heard.slice(2), room.transcript.head.seq]).toStrictEqual([["restart"], 6]);
  room.leave(listener);
  await room.reached(100);
  expect(rooms.find("session")).toBeUndefined();
});

test("events during a page load are sent after a delay, but at once when a listener waits for them", async () => {
  const host = new PlayedHost();
  const clock = createFakeClock();
  const rooms = new SessionRooms({ host: host.asServed(), clock });
  const room = await rooms.open("session", "theirs");
  const { listener, heard } = listen();
  room.enter(listener);
  room.hold(1_000);
  host.emit(log.slice(4, 6));
  await settle();
  expect([heard, room.transcript.head.seq]).toStrictEqual([[], 6]);
  await room.reached(5);
  expect(heard).toStrictEqual([" two", "chat_event"]);
  room.hold(100);
  await clock.advance(99);
  expect(heard).toHaveLength(2);
  await clock.advance(1);
  expect(heard.slice(2)).toStrictEqual([" three", "chat_event"]);
  room.hold(1_000);
  room.leave(listener);
  expect(clock.timers).toBe(0);
});

test("events held during a page load are limited in size; above it everything is sent at once", async () => {
  const host = new PlayedHost();
  const rooms = new SessionRooms({ host: host.asServed(), clock: createFakeClock() });
  const room = await rooms.open("session", "theirs");
  const { listener, heard } = listen();
  room.enter(listener);
  room.hold(1_000);
  const text = "x".repeat(Math.ceil(HELD_CHARS_MAX / 3));
  const long = log.slice(4, 6).map((event) => Object.assign(structuredClone(event), { text }));
  host.emit(long.slice(0, 1));
  await settle();
  expect(heard).toHaveLength(0);
  host.emit(long.slice(1));
  await settle();
  expect(heard.filter((what) => what === text)).toHaveLength(2);
  rooms.closeAll("over");
});

test("a session that does not exist leaves no room, and the next request is checked again", async () => {
  const host = new PlayedHost();
  host.isUnknown = true;
  const rooms = new SessionRooms({ host: host.asServed(), clock: systemClock });
  await expect(rooms.open("session", "theirs")).rejects.toMatchObject({ code: "unknown_session" });
  expect(rooms.find("session")).toBeUndefined();
  host.isUnknown = false;
  const room = await rooms.open("session", "theirs");
  expect(room.transcript.head.seq).toBe(4);
  rooms.closeAll("over");
});
