import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { keepAlive } from "./web-socket-connection.ts";

class PlayedSocket extends EventEmitter {
  readonly did: string[] = [];
  ping(): void {
    this.did.push("ping");
  }
  terminate(): void {
    this.did.push("cut");
  }
}

test("a socket is pinged every 15 seconds, lives while it answers, and is cut when it did not answer the last", () => {
  const clock = createManualClock();
  const socket = new PlayedSocket();
  keepAlive(socket as never, clock, () => socket.did.push("gone"));
  clock.advance(14_999);
  expect(socket.did).toEqual([]);
  clock.advance(1);
  socket.emit("pong");
  clock.advance(15_000);
  expect(socket.did).toEqual(["ping", "ping"]);
  clock.advance(15_000);
  expect(socket.did).toEqual(["ping", "ping", "gone", "cut"]);
  clock.advance(60_000);
  expect(socket.did).toHaveLength(4);
});

test("a socket whose pings are stopped is left alone", () => {
  const clock = createManualClock();
  const socket = new PlayedSocket();
  keepAlive(socket as never, clock)();
  clock.advance(60_000);
  expect(socket.did).toEqual([]);
});
