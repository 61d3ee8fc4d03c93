import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import * as linggen from "../format/linggen.ts";
import { createEventStream } from "./event-stream.ts";

/** A response whose reader takes nothing until it drains. */
class PlayedResponse extends EventEmitter {
  readonly written: string[] = [];
  readonly req = { method: "GET" };
  writableLength = 0;
  removeHeader(): void {}
  writeHead(): void {}
  flushHeaders(): void {}
  end(): void {}
  write(text: string): void {
    this.written.push(text);
    this.writableLength += text.length;
  }
  drain(): void {
    this.writableLength = 0;
    this.emit("drain");
  }
}

interface Told {
  seq: number;
  kind: string;
  phase?: string;
  text?: string;
}

function open() {
  const clock = createManualClock();
  const response = new PlayedResponse();
  const said = (text: string): linggen.UiDraft => ({ id: "one", tsMs: 1, kind: "message", text });
  const stream = createEventStream({
    response: response as unknown as ServerResponse,
    clock,
    filter: () => true,
    snapshot: () => [said("how it stands")],
    onEnd: () => {},
  });
  const told = () =>
    response.written
      .join("")
      .split("\n\n")
      .filter((block) => block.startsWith("data: "))
      .map((block) => JSON.parse(block.slice("data: ".length)) as Told);
  return { clock, response, stream, said, told };
}

test("a stream whose reader stops reading buffers no more than its limit, and then sends resync and the current state", () => {
  const { response, stream, said, told } = open();
  const long = "x".repeat(1024 * 1024);
  for (let count = 0; count < 50; count += 1) stream.send([said(long)]);
  expect(response.writableLength).toBeLessThan(6 * 1024 * 1024);
  const before = told().length;
  response.drain();
  stream.send([said("after")]);
  expect(told().slice(before)).toMatchObject([
    { seq: before + 1, kind: "run", phase: "resync" },
    { seq: before + 2, kind: "message", text: "how it stands" },
    { seq: before + 3, kind: "message", text: "after" },
  ]);
});

test("a stream on which nothing happens has a comment every 15 seconds, and none while something waits", () => {
  const { clock, response, stream, said } = open();
  clock.advance(30_000);
  response.drain();
  expect(response.written).toEqual([linggen.KEEP_ALIVE]);
  stream.send([said("unread")]);
  clock.advance(15_000);
  expect(response.written).toHaveLength(2);
  response.drain();
  clock.advance(15_000);
  expect(response.written.at(-1)).toBe(":\n\n");
  response.emit("close");
  clock.advance(60_000);
  expect(response.written).toHaveLength(3);
});
