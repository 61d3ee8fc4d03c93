/** One client's stream: frames numbered from 1, a comment as heartbeat, and a resync after it fell behind. */
import type { ServerResponse } from "node:http";
import type { Clock } from "../../../src/kit/clock.ts";
import type { Head } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import { beginStream, endResponse } from "../../../src/server/index.ts";

const KEEP_ALIVE_MS = 15_000;
/** Limit of unread data; beyond it frames are dropped until the client has caught up, and then it is told to resync. */
const BACKLOG_BYTES_MAX = 4 * 1024 * 1024;

/** Sessions that a client subscribes to. */
export type StreamFilter = (head: Pick<Head, "sessionId" | "cwd">) => boolean;

export interface EventStream {
  readonly filter: StreamFilter;
  /** By the monotonic clock. */
  readonly openedMs: number;
  /** Sessions sent again at the client's request. */
  readonly shown: Set<string>;
  send(drafts: readonly linggen.UiDraft[]): void;
  end(): void;
}

export interface EventStreamOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly filter: StreamFilter;
  readonly snapshot: () => readonly linggen.UiDraft[];
  readonly onEnd: () => void;
}

export function createEventStream({ response, clock, filter, snapshot, onEnd }: EventStreamOptions): EventStream {
  let seq = 0;
  let isBehind = false;
  let isOver = false;
  let cancelComment = () => {};

  function write(text: string): void {
    if (!isOver) response.write(text);
  }

  function comment(): void {
    if (response.writableLength === 0) write(linggen.KEEP_ALIVE);
    cancelComment = clock.after(KEEP_ALIVE_MS, comment);
  }

  function send(drafts: readonly linggen.UiDraft[]): void {
    if (isOver || isBehind || drafts.length === 0) return;
    write(drafts.map((draft) => linggen.encodeFrame(linggen.stamp(draft, (seq += 1)))).join(""));
    if (response.writableLength > BACKLOG_BYTES_MAX) isBehind = true;
  }

  function finish(): void {
    if (isOver) return;
    isOver = true;
    cancelComment();
    onEnd();
  }

  response.on("drain", () => {
    if (!isBehind) return;
    isBehind = false;
    send([linggen.resyncFrame(clock.now()), ...snapshot()]);
  });
  response.on("close", finish);
  response.on("error", finish);
  beginStream(response);
  cancelComment = clock.after(KEEP_ALIVE_MS, comment);
  return {
    filter,
    openedMs: clock.monotonic(),
    shown: new Set(),
    send,
    end() {
      endResponse(response, clock);
      finish();
    },
  };
}
