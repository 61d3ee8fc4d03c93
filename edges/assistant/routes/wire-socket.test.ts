import { EventEmitter } from "node:events";
import type { WebSocket } from "ws";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/kit/clock.ts";
import { WireSocket, type WireSocketDeps } from "./wire-socket.ts";

class PlayedSocket extends EventEmitter {
  bufferedAmount = 0;
  readonly sent: string[] = [];
  closedWith: number | undefined;
  send(text: string): void {
    this.sent.push(text);
  }
  close(code: number): void {
    this.closedWith = code;
  }
}

test("a client of wire 004 that reads too slowly is disconnected with the matching code, and is sent nothing more", () => {
  const socket = new PlayedSocket();
  const deps = { clock: systemClock } as WireSocketDeps;
  const wire = new WireSocket(socket as unknown as WebSocket, deps, () => {});
  const news = { type: "session_cleared", sessionId: "one" } as const;
  wire.send(news);
  socket.bufferedAmount = 17 * 1024 * 1024;
  wire.send(news);
  expect(socket.closedWith).toBe(1013);
  socket.bufferedAmount = 0;
  wire.send(news);
  expect(socket.sent).toEqual([JSON.stringify(news)]);
});
