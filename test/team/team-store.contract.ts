/** What any store of a team server must do. Run on PostgreSQL, and on the model in memory. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import type { Cursor, EventDraft, SessionEvent } from "../../src/protocol/index.ts";
import type { TeamStore } from "../../src/team/store/team-store.ts";
import { created, delta, message } from "../log/drafts.ts";
import { storesBlobs } from "./blobs.contract.ts";
import { createWriter, readAll, refusal, shipped, stamp } from "./events.ts";
import { passesCommands, keepsCommands } from "./inbox.contract.ts";

type Opened = () => TeamStore;

export function teamStoreContract(name: string, open: () => Promise<TeamStore>): void {
  describe(`team store contract: ${name}`, () => {
    let store: TeamStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());
    storesEventsOnce(() => store);
    storesWhatItGets(() => store);
    refuses(() => store);
    refusesBadBatches(() => store);
    replacesTails(() => store);
    readsAndTails(() => store);
    lists(() => store);
    searches(() => store);
    storesBlobs(() => store);
    passesCommands(() => store);
    keepsCommands(() => store);
  });
}

function storesEventsOnce(opened: Opened): void {
  test("events are stored in order and come back as they were shipped", async () => {
    const store = opened();
    const writer = createWriter();
    const events = shipped(writer.sessionId, 1, 1_200);
    expect(await store.ingest(writer, [])).toEqual({ epoch: 0, seq: 0 });
    for (let at = 0; at < events.length; at += 400) {
      const head = await store.ingest(writer, events.slice(at, at + 400));
      expect(head).toEqual({ epoch: 1, seq: at + 400 });
    }
    expect(await readAll(store, writer.sessionId)).toEqual(events);
    expect(await store.ingest(writer, [])).toEqual({ epoch: 1, seq: 1_200 });
  });

  test("a repeated batch, and one that overlaps, is stored once", async () => {
    const store = opened();
    const writer = createWriter();
    const events = shipped(writer.sessionId, 1, 9);
    await store.ingest(writer, events.slice(0, 4));
    expect(await store.ingest(writer, events.slice(0, 4))).toEqual({ epoch: 1, seq: 4 });
    expect(await store.ingest(writer, events.slice(1, 3))).toEqual({ epoch: 1, seq: 4 });
    expect(await store.ingest(writer, events.slice(2, 9))).toEqual({ epoch: 1, seq: 9 });
    expect(await readAll(store, writer.sessionId)).toEqual(events);
  });

  test("two connections that ship the same events at once store each once", async () => {
    const store = opened();
    const writer = createWriter();
    const events = shipped(writer.sessionId, 1, 60);
    const ship = async (): Promise<void> => {
      for (let at = 0; at < events.length; at += 5) await store.ingest(writer, events.slice(at, at + 5));
    };
    await Promise.all([ship(), ship(), ship()]);
    expect(await readAll(store, writer.sessionId)).toEqual(events);
  });

  test("a runner that catches up ships events of older epochs", async () => {
    const store = opened();
    const writer = createWriter(3);
    const { sessionId } = writer;
    const events = [...shipped(sessionId, 1, 2, 1), ...shipped(sessionId, 3, 4, 2), ...shipped(sessionId, 5, 6, 3)];
    expect(await store.ingest(writer, events)).toEqual({ epoch: 3, seq: 6 });
    expect(await readAll(store, sessionId)).toEqual(events);
  });
}

function storesWhatItGets(opened: Opened): void {
  test("a damaged range of the runner's log is one event", async () => {
    const store = opened();
    const writer = createWriter();
    const { sessionId } = writer;
    const damage = stamp(sessionId, 7, 1, { type: "damage", fromSeq: 3, toSeq: 7, offset: 0, bytes: 9 });
    const events = [...shipped(sessionId, 1, 2), damage, ...shipped(sessionId, 8, 9)];
    await store.ingest(writer, events);
    await store.ingest(writer, events.slice(2));
    expect(await readAll(store, sessionId)).toEqual(events);
    expect(await readAll(store, sessionId, { epoch: 1, seq: 7 })).toEqual(events.slice(3));
    // What was shipped before the log was damaged stays.
    const whole = createWriter();
    const stored = shipped(whole.sessionId, 1, 7);
    await store.ingest(whole, stored);
    await store.ingest(whole, [{ ...damage, sessionId: whole.sessionId }, ...shipped(whole.sessionId, 8, 8)]);
    expect(await readAll(store, whole.sessionId)).toEqual([...stored, ...shipped(whole.sessionId, 8, 8)]);
  });

  test("text that means something to a database is text", async () => {
    const store = opened();
    const writer = createWriter();
    const texts = [
      "'; drop table roundtable.event; --",
      String.raw`\N \. {"a"} \n`,
      "line\nbreak\r\ttab\u2028",
      "\0 and \ud800 alone",
      "$1 $$ %s {1,2}",
      "😀 ＡＢＣ é",
    ];
    const events = [created(), ...texts.map(message)].map((draft, at) => stamp(writer.sessionId, at + 1, 1, draft));
    await store.ingest(writer, events);
    expect(await readAll(store, writer.sessionId)).toEqual(events);
  });
}

function refuses(opened: Opened): void {
  test("a gap is refused with the position to continue from", async () => {
    const store = opened();
    const writer = createWriter();
    const { sessionId } = writer;
    expect(await refusal(store.ingest(writer, shipped(sessionId, 2, 3)))).toEqual({
      code: "gap",
      head: { epoch: 0, seq: 0 },
    });
    await store.ingest(writer, shipped(sessionId, 1, 3));
    const head = { epoch: 1, seq: 3 };
    expect(await refusal(store.ingest(writer, shipped(sessionId, 5, 6)))).toEqual({ code: "gap", head });
    expect(await readAll(store, sessionId)).toEqual(shipped(sessionId, 1, 3));
  });

  test("a lower epoch is refused: another process has continued the log", async () => {
    const store = opened();
    const writer = createWriter(2);
    const { sessionId } = writer;
    await store.ingest(writer, shipped(sessionId, 1, 2, 2));
    const head = { epoch: 2, seq: 2 };
    const older = { ...writer, epoch: 1 };
    const batches = [[], shipped(sessionId, 1, 2, 1), shipped(sessionId, 3, 4, 1)];
    for (const batch of batches)
      expect(await refusal(store.ingest(older, batch))).toEqual({ code: "stale_epoch", head });
    // Also when the writer's epoch is high, but its log is an older copy.
    const copy = { ...writer, epoch: 5 };
    expect(await refusal(store.ingest(copy, shipped(sessionId, 2, 3, 1)))).toEqual({ code: "stale_epoch", head });
    expect(await refusal(store.ingest(copy, shipped(sessionId, 3, 3, 1)))).toEqual({ code: "stale_epoch", head });
    // A refusal does not raise the epoch.
    expect(await store.ingest(writer, shipped(sessionId, 3, 3, 2))).toEqual({ epoch: 2, seq: 3 });
  });

  test("another runner's session, and other content under the same number, are refused", async () => {
    const store = opened();
    const writer = createWriter();
    const { sessionId } = writer;
    await store.ingest(writer, shipped(sessionId, 1, 3));
    const conflict = { code: "conflict", head: { epoch: 1, seq: 3 } };
    const stranger = { ...writer, runnerId: "stranger", epoch: 9 };
    expect(await refusal(store.ingest(stranger, []))).toEqual(conflict);
    expect(await refusal(store.ingest(stranger, shipped(sessionId, 4, 4, 9)))).toEqual(conflict);
    expect(await refusal(store.ingest(writer, shipped(sessionId, 3, 4, 1, "other")))).toEqual(conflict);
    expect(await readAll(store, sessionId)).toEqual(shipped(sessionId, 1, 3));
  });
}

function refusesBadBatches(opened: Opened): void {
  test("a batch that no log can have is refused as a whole", async () => {
    const store = opened();
    const writer = createWriter(2);
    const { sessionId } = writer;
    const [first, second, third] = shipped(sessionId, 1, 3, 2) as [SessionEvent, SessionEvent, SessionEvent];
    const batches = [
      [second, first],
      [first, third],
      [first, first],
      [{ ...first, seq: 0 }],
      [{ ...first, seq: 1.5 }],
      [{ ...first, epoch: 3 }],
      [first, { ...second, epoch: 1 }],
      [{ ...first, sessionId: newId() }],
      [first, { ...second, text: "x".repeat(300_000) } as SessionEvent],
      shipped(sessionId, 1, 1_001, 2),
    ];
    for (const batch of batches) expect(await refusal(store.ingest(writer, batch))).toEqual({ code: "bad_batch" });
    expect(await refusal(readAll(store, sessionId))).toEqual({ code: "unknown_session" });
  });
}

function replacesTails(opened: Opened): void {
  test("a higher epoch replaces what the log has lost, and cursors into it are unknown", async () => {
    const store = opened();
    const writer = createWriter(1);
    const { sessionId } = writer;
    await store.ingest(writer, shipped(sessionId, 1, 8, 1, "lost"));
    const again = shipped(sessionId, 6, 7, 2, "again");
    expect(await store.ingest({ ...writer, epoch: 2 }, again)).toEqual({ epoch: 2, seq: 7 });
    const now = [...shipped(sessionId, 1, 5, 1, "lost"), ...again];
    expect(await readAll(store, sessionId)).toEqual(now);
    expect(await readAll(store, sessionId, { epoch: 1, seq: 5 })).toEqual(again);
    for (const seq of [6, 7, 8])
      expect(await refusal(readAll(store, sessionId, { epoch: 1, seq }))).toEqual({ code: "unknown_cursor" });
    expect(await store.ingest({ ...writer, epoch: 2 }, shipped(sessionId, 8, 9, 2))).toEqual({ epoch: 2, seq: 9 });
    await expect.poll(async () => (await store.search({ words: "message again lost", sessionId })).hits.length).toBe(0);
    await expect.poll(async () => (await store.search({ words: "again", sessionId })).hits.length).toBe(2);
    await expect.poll(async () => (await store.search({ words: "lost", sessionId })).hits.length).toBe(4);
  });

  test("a tail that has given out replaced events ends", async () => {
    const store = opened();
    const writer = createWriter(1);
    const { sessionId } = writer;
    await store.ingest(writer, shipped(sessionId, 1, 4));
    const tail = store.tail(sessionId, { epoch: 1, seq: 2 }, new AbortController().signal);
    expect((await tail.next()).value).toEqual(shipped(sessionId, 3, 4));
    const next = refusal(tail.next());
    await store.ingest({ ...writer, epoch: 2 }, shipped(sessionId, 4, 9, 2));
    expect(await next).toEqual({ code: "unknown_cursor" });
  });
}

function readsAndTails(opened: Opened): void {
  test("reading begins after the cursor, and an unknown one is refused", async () => {
    const store = opened();
    const writer = createWriter(4);
    const { sessionId } = writer;
    const events = shipped(sessionId, 1, 6, 2);
    await store.ingest(writer, events);
    expect(await readAll(store, sessionId, { epoch: 2, seq: 4 })).toEqual(events.slice(4));
    // The epoch of the head, as a heartbeat has it.
    expect(await readAll(store, sessionId, { epoch: 4, seq: 6 })).toEqual([]);
    const unknown: Cursor[] = [
      { epoch: 1, seq: 3 },
      { epoch: 5, seq: 3 },
      { epoch: 2, seq: 7 },
    ];
    for (const cursor of unknown)
      expect(await refusal(readAll(store, sessionId, cursor))).toEqual({ code: "unknown_cursor" });
    expect(await refusal(readAll(store, newId()))).toEqual({ code: "unknown_session" });
    expect(await refusal(readAll(store, newId(), { epoch: 1, seq: 1 }))).toEqual({ code: "unknown_session" });
  });

  test("large events are read in batches of limited size", async () => {
    const store = opened();
    const writer = createWriter();
    const large = "x".repeat(200_000);
    const events = shipped(writer.sessionId, 1, 12).map((event) => Object.assign(event, { text: large }));
    await store.ingest(writer, events);
    expect(await readAll(store, writer.sessionId)).toEqual(events);
  });

  test("a tail gives history and then everything new, once, until it is aborted", async () => {
    const store = opened();
    const writer = createWriter();
    const { sessionId } = writer;
    const events = shipped(sessionId, 1, 60);
    await store.ingest(writer, events.slice(0, 10));
    const over = new AbortController();
    const follow = async (seq: number): Promise<SessionEvent[]> => {
      const received: SessionEvent[] = [];
      for await (const batch of store.tail(sessionId, { epoch: seq === 0 ? 0 : 1, seq }, over.signal)) {
        received.push(...batch);
        if (received.at(-1)?.seq === 60) return received;
      }
      return received;
    };
    const all = Promise.all([follow(0), follow(5), follow(10)]);
    for (let at = 10; at < 60; at += 5) await store.ingest(writer, events.slice(at, at + 5));
    expect(await all).toEqual([events, events.slice(5), events.slice(10)]);
    const idle = follow(59);
    expect((await idle).map(({ seq }) => seq)).toEqual([60]);
    const waiting = store.tail(sessionId, { epoch: 1, seq: 60 }, over.signal).next();
    over.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
}

const entry = (text: string) => ({ type: "text_done", turnId: "t", member: "scout", segmentId: text, text });
const start = { type: "turn_start", turnId: "t", member: "scout", messageId: "m", deliveredSeq: 1 };

function lists(opened: Opened): void {
  test("a session is listed with its summary, for those who may see it", async () => {
    const store = opened();
    const writer = createWriter(1, "box");
    const { sessionId } = writer;
    await store.ingest(writer, shipped(sessionId, 1, 3));
    const sessionIds = [sessionId];
    await expect
      .poll(() => store.list({ sessionIds }))
      .toMatchObject([
        { runnerId: "box", summary: { sessionId, title: "a session", cwd: "/project", messages: 2, seq: 3 } },
      ]);
    const rename = { type: "session_renamed", title: "Renamed" } as EventDraft;
    await store.ingest(writer, [stamp(sessionId, 4, 1, rename)]);
    await expect
      .poll(async () => (await store.list()).find(({ summary }) => summary.sessionId === sessionId))
      .toMatchObject({
        summary: { title: "Renamed", seq: 4 },
      });
    expect(await store.list({ sessionIds: [] })).toEqual([]);
  });
}

function searches(opened: Opened): void {
  test("a search finds words, beginnings, phrases, names and literals, and nothing outside", async () => {
    const store = opened();
    const writer = createWriter();
    const { sessionId } = writer;
    const texts = ["Der Zürich Express fährt", "call parseWidget(a, b) twice", "the quick brown fox", "東京タワー"];
    const drafts = [created(), start, ...texts.map(entry), delta("unseen zebra")] as EventDraft[];
    await store.ingest(
      writer,
      drafts.map((draft, at) => stamp(sessionId, at + 1, 1, draft)),
    );
    const find = async (words: string, more = {}) => {
      const { hits } = await store.search({ words, sessionId, ...more });
      return hits.map(({ eventSeq }) => eventSeq);
    };
    await expect.poll(() => find("fox")).toEqual([5]);
    expect(await find("zurich")).toEqual([3]);
    expect(await find("QUI bro")).toEqual([5]);
    expect(await find('"quick brown"')).toEqual([5]);
    expect(await find('"quick fox"')).toEqual([]);
    expect(await find("widget")).toEqual([4]);
    expect(await find("parseWidget(a")).toEqual([4]);
    expect(await find("parseWidget[a")).toEqual([]);
    expect(await find("京タ")).toEqual([6]);
    expect(await find("zebra")).toEqual([]);
    expect(await find("fox", { member: "nobody" })).toEqual([]);
    expect(await find("fox", { cwd: "/project", member: "scout" })).toEqual([5]);
    expect(await find("fox", { sinceTs: 6_000 })).toEqual([]);
    const { hits } = await store.search({ words: "quick", sessionId });
    expect(hits).toMatchObject([{ title: "a session", seq: 2, snippet: "the quick brown fox", marks: [[4, 9]] }]);
    expect((await store.search({ words: "fox" }, { sessionIds: [newId()] })).hits).toEqual([]);
    expect(await find("'; drop table | & ! <-> fox:*")).toEqual([]);
  });

  test("a text that is taken back is not found any more", async () => {
    const store = opened();
    const writer = createWriter();
    const { sessionId } = writer;
    const drafts = [created(), start, entry("albatross")] as EventDraft[];
    await store.ingest(
      writer,
      drafts.map((draft, at) => stamp(sessionId, at + 1, 1, draft)),
    );
    const find = async () => (await store.search({ words: "albatross", sessionId })).hits.length;
    await expect.poll(find).toBe(1);
    const retracted = { type: "text_retracted", turnId: "t", member: "scout", segmentId: "albatross" } as EventDraft;
    await store.ingest(writer, [stamp(sessionId, 4, 1, retracted)]);
    await expect.poll(find).toBe(0);
  });
}
