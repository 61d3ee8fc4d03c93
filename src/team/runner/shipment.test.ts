import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { message } from "../../../test/log/drafts.ts";
import { shipped, stamp } from "../../../test/team/events.ts";
import { toAnswerError, type Cursor, type EventDraft, type SessionEvent } from "../../protocol/index.ts";
import type { Answer, Question } from "../frames.ts";
import { TeamStoreError, toAnswer, type TeamStoreCode } from "../store/team-store.ts";
import { Shipment } from "./shipment.ts";
import { Turns } from "./turns.ts";

const sessionId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const START: Cursor = { epoch: 0, seq: 0 };
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A log, what of it is on the server, and a connection between them that is answered when a test says so. */
function createShipment() {
  const clock = createManualClock();
  const log: SessionEvent[] = [];
  const unanswered: { question: Question; onAnswer: (answer: Answer) => void }[] = [];
  const stored: number[] = [];
  const warnings: string[] = [];
  const files = Promise.withResolvers<Uint8Array>();
  let follower: { next: number; onEvents: (events: readonly SessionEvent[]) => void } | undefined;
  const feed = (): void => {
    const events = log.slice(follower?.next, (follower?.next ?? 0) + 300);
    if (follower === undefined || events.length === 0) return;
    follower.next += events.length;
    follower.onEvents(events);
    feed();
  };
  const shipment = new Shipment(sessionId, {
    source: {
      async subscribe(_, from, onEvents) {
        const mine = { next: from.seq, onEvents };
        follower = mine;
        setImmediate(feed);
        const close = (): void => void (follower = follower === mine ? undefined : follower);
        return { head: log.length === 0 ? START : { epoch: 1, seq: log.length }, close };
      },
    },
    turns: new Turns(1),
    send: (question, onAnswer) => unanswered.push({ question, onAnswer }),
    readBlob: () => files.promise,
    clock,
    warn: (sentence) => warnings.push(sentence),
  });
  const head = (): Answer => {
    const seq = stored.at(-1) ?? 0;
    return { frame: "head", id: 0, head: { epoch: seq === 0 ? 0 : 1, seq } };
  };
  /** As a node refuses. */
  const refused = (code: TeamStoreCode): Answer => ({
    frame: "refused",
    id: 0,
    code,
    error: toAnswerError(toAnswer(new TeamStoreError(code, code))),
  });
  return {
    clock,
    shipment,
    stored,
    warnings,
    /** A message with two attachments. */
    attach: (): void => {
      const blobs = ["a", "b"].map((letter) => ({ sha256: letter.repeat(64), bytes: 0 }));
      const attachments = blobs.map((blob) => ({ name: "notes.txt", mime: "text/plain", blob }));
      const draft = { ...message("look"), attachments } as EventDraft;
      log.push(stamp(sessionId, log.length + 1, 1, draft));
      feed();
    },
    readFiles: () => files.resolve(new Uint8Array()),
    write: (count: number): void => {
      log.push(...shipped(sessionId, log.length + 1, log.length + count));
      feed();
    },
    /** Seqs of the batches that were not answered yet. */
    underWay: () =>
      unanswered.map(({ question }) =>
        question.frame === "batch" ? question.events.map(({ seq }) => seq) : question.frame,
      ),
    /** As a node does: what does not continue the session is refused, repeats are ignored. */
    answer: (code?: TeamStoreCode): void => {
      const first = unanswered.shift();
      if (first === undefined) throw new Error("nothing was sent");
      const { question, onAnswer } = first;
      if (code !== undefined) return onAnswer(refused(code));
      if (question.frame === "batch") {
        const seqs = question.events.map(({ seq }) => seq);
        const isOneRun = seqs.every((seq, at) => at === 0 || seq === (seqs[at - 1] ?? 0) + 1);
        if (!isOneRun) return onAnswer(refused("bad_batch"));
        if ((seqs[0] ?? 0) > (stored.at(-1) ?? 0) + 1) return onAnswer(refused("gap"));
        for (const seq of seqs) if (seq > (stored.at(-1) ?? 0)) stored.push(seq);
      }
      return onAnswer(head());
    },
  };
}

async function begin(events: number) {
  const one = createShipment();
  one.write(events);
  one.shipment.touch(events);
  one.answer();
  await tick();
  await tick();
  return one;
}

test("the next batch does not wait for the answer to the one before; what comes meanwhile goes together", async () => {
  const { write, answer, underWay } = await begin(1);
  write(1);
  write(1);
  write(1);
  write(1);
  expect(underWay()).toEqual([[1], [2]]);
  answer();
  expect(underWay()).toEqual([[2], [3, 4, 5]]);
});

test("what is under way has a limit, however many batches it is", async () => {
  const { write, answer, underWay, stored } = await begin(1);
  write(700);
  const counts = underWay().map((batch) => batch.length);
  expect(counts).toEqual([1, 300]);
  answer();
  expect(underWay().map((batch) => batch.length)).toEqual([300, 200]);
  while (underWay().length > 0) answer();
  expect(stored).toHaveLength(701);
});

test("a log that comes faster than it is stored is shipped once, in order", async () => {
  const { write, shipment, answer, underWay, stored, warnings } = await begin(9_000);
  for (let round = 0; round < 200 && stored.length < 9_100; round += 1) {
    if (underWay().length > 0) answer();
    if (round === 3) write(100);
    shipment.touch(9_100);
    await tick();
  }
  expect(warnings).toEqual([]);
  expect(stored).toEqual(Array.from({ length: 9_100 }, (_, at) => at + 1));
});

test("after a refusal it continues where the server is, and the refusal of the next batch changes nothing", async () => {
  const { write, clock, answer, underWay, stored, warnings } = await begin(1);
  write(1);
  answer("unavailable");
  write(1);
  answer();
  expect(warnings).toHaveLength(1);
  clock.advance(1_000);
  expect(underWay()).toEqual(["where"]);
  answer();
  await tick();
  await tick();
  expect(underWay()).toEqual([[1, 2, 3]]);
  answer();
  expect(stored).toEqual([1, 2, 3]);
});

test("a database that can be read and not written is asked less and less often, and reported once", async () => {
  const { clock, answer, underWay, stored, warnings } = await begin(1);
  const fail = async (waitMs: number): Promise<void> => {
    answer("read_only");
    clock.advance(waitMs - 1);
    expect(underWay()).toEqual([]);
    clock.advance(1);
    expect(underWay()).toEqual(["where"]);
    answer();
    await tick();
    await tick();
  };
  for (const waitMs of [1_000, 2_000, 4_000, 8_000]) await fail(waitMs);
  expect(warnings).toHaveLength(1);
  answer();
  expect(stored).toEqual([1]);
});

test("a file that the database cannot take now is sent again, and goes before its message", async () => {
  const { attach, readFiles, clock, answer, underWay, stored } = await begin(1);
  readFiles();
  attach();
  await tick();
  expect(underWay()).toEqual([[1], "blob"]);
  answer();
  answer("full");
  expect(underWay()).toEqual([]);
  clock.advance(1_000);
  answer();
  for (let rest = 0; rest < 4; rest += 1) await tick();
  expect(underWay()).toEqual(["blob"]);
  answer();
  await tick();
  // What it never takes is left out.
  answer("too_large");
  expect(underWay()).toEqual([[2]]);
  answer();
  expect(stored).toEqual([1, 2]);
});

test("nothing is sent once it is closed, neither files that were read nor events that waited for them", async () => {
  const open = await begin(1);
  open.attach();
  open.readFiles();
  await tick();
  expect(open.underWay()).toEqual([[1], "blob"]);

  const closed = await begin(1);
  closed.attach();
  closed.write(3);
  closed.shipment.close();
  closed.readFiles();
  await tick();
  closed.answer();
  closed.write(2);
  await tick();
  expect(closed.underWay()).toEqual([]);
  expect(closed.stored).toEqual([1]);
});
