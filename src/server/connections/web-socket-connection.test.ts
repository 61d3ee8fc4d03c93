import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { createWebSocketConnection, keepAlive } from "./web-socket-connection.ts";

class PlayedSocket extends EventEmitter {
  readonly did: string[] = [];
  ping(): void {
    this.did.push("ping");
  }
  terminate(): void {
    this.did.push("cut");
  }
  pause(): void {}
  resume(): void {}
  close(code: number, reason: string): void {
    this.did.push(`close ${code} ${reason}`);
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

test("a frame that its reader throws at ends its own connection only", () => {
  const socket = new PlayedSocket();
  const connection = createWebSocketConnection(socket as never, createManualClock());
  const reasons: string[] = [];
  connection.onClose((reason) => reasons.push(reason));
  connection.onFrame(() => {
    throw new TypeError("not foreseen");
  });
  const frames = ["1", "2"].map((text) => Buffer.from(text));
  for (const frame of frames) socket.emit("message", frame, false);
  const reason = "Internal server error. See the output of the server.";
  expect(reasons).toEqual([reason]);
  expect(socket.did).toEqual([`close 1001 ${reason}`]);
});
