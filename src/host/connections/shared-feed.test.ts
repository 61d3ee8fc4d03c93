import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { openFileLog } from "../../log/index.ts";
import type { EventDraft, SessionEvent } from "../../protocol/index.ts";
import { SharedFeed } from "./shared-feed.ts";

const EVENTS = 3_000;

test("readers that keep up share the same arrays; one that pauses or joins late misses and repeats nothing", async () => {
  const log = await openFileLog({ dataDir: mkdtempSync(path.join(tmpdir(), "rt-feed-")), sessionId: newId() });
  const feed = new SharedFeed(log, systemClock);
  const batches: Record<string, (readonly SessionEvent[])[]> = { one: [], two: [], slow: [], late: [] };
  const done: Promise<void>[] = [];
  const read = (name: string, pauseMs: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    done.push(promise);
    feed.follow(0, (events) => {
      batches[name]?.push(events);
      if (events.at(-1)?.seq === EVENTS) resolve();
      return pauseMs === 0 ? undefined : new Promise((after) => setTimeout(after, pauseMs));
    });
  };
  read("one", 0);
  read("two", 0);
  read("slow", 3);
  for (let made = 0; made < EVENTS; made += 10) {
    log.append(Array.from({ length: 10 }, () => ({ type: "message_pinned", messageId: "m", pinned: true })));
    if (made === EVENTS / 2) read("late", 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(done);
  const seqs = Array.from({ length: EVENTS }, (_, at) => at + 1);
  for (const [name, heard] of Object.entries(batches))
    expect([name, heard.flat().map((event) => event.seq)]).toEqual([name, seqs]);
  expect(batches["one"]?.filter((batch, at) => batch !== batches["two"]?.[at])).toEqual([]);
  expect(batches["one"]?.every((batch) => batch.length <= 512)).toBe(true);
  await log.close();
});

test("a message, its turn and the first text are delivered at once; later text waits 10 ms or for another event", async () => {
  const log = await openFileLog({ dataDir: mkdtempSync(path.join(tmpdir(), "rt-feed-")), sessionId: newId() });
  const clock = createFakeClock();
  const feed = new SharedFeed(log, clock);
  const handed: string[][] = [];
  feed.follow(0, (events) => void handed.push(events.map(({ type }) => type)));
  const append = async (draft: EventDraft) => {
    await log.append([draft]).committed;
    return handed.splice(0);
  };
  const text: EventDraft = { type: "text_delta", turnId: "t", member: "ada", segmentId: "s", text: "x" };
  const pinned: EventDraft = { type: "message_pinned", messageId: "m", pinned: true };
  expect(await append(pinned)).toEqual([["message_pinned"]]);
  expect(
    await append({ type: "turn_start", turnId: "t", member: "ada", cause: "user", messageIds: [], depth: 0 }),
  ).toEqual([["turn_start"]]);
  expect(await append(text)).toEqual([["text_delta"]]);
  expect([await append(text), await append(text)]).toEqual([[], []]);
  await clock.advance(10);
  expect(handed.splice(0)).toEqual([["text_delta", "text_delta"]]);
  expect(await append(text)).toEqual([]);
  expect(await append(pinned)).toEqual([["text_delta", "message_pinned"]]);
  await log.close();
});
