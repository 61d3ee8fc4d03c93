import { expect, test } from "vitest";
import { createManualClock } from "../../../../test/host/manual-clock.ts";
import type { SeenAs } from "../../../protocol/index.ts";
import { followSeenAs } from "./follow-seen-as.ts";

const ada = { id: "01J000000000000000000000AD", name: "ada" };
const formerBob = { id: "01J000000000000000000000B1", name: "bob" };
const bob = { id: "01J000000000000000000000B2", name: "bob" };
const MINUTE_MS = 60_000;

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

async function follow(first: SeenAs) {
  const clock = createManualClock();
  const left = new AbortController();
  const server = { now: async (): Promise<SeenAs> => first, reads: 0 };
  const seen: SeenAs[] = [];
  await followSeenAs(
    async () => {
      server.reads += 1;
      return await server.now();
    },
    { clock, signal: left.signal, onRead: (seenAs) => seen.push(seenAs) },
  );
  async function minute(): Promise<void> {
    clock.advance(MINUTE_MS);
    await turn();
  }
  return { server, seen, left, minute };
}

test("people are read again every minute while the session is open, and passed on when they have changed", async () => {
  const before = { me: ada.id, owner: ada, people: [ada, formerBob] };
  const after = { ...before, people: [ada, bob] };
  const { server, seen, left, minute } = await follow(before);
  await minute();
  expect([server.reads, seen]).toEqual([2, [before]]);
  server.now = async () => after;
  await minute();
  expect(seen).toEqual([before, after]);
  // Neither an error nor an answer without the team replaces what is known.
  server.now = async () => await Promise.reject(new Error("offline"));
  await minute();
  server.now = async () => ({ me: undefined, owner: ada });
  await minute();
  expect([server.reads, seen]).toEqual([5, [before, after]]);
  left.abort();
  await minute();
  expect(server.reads).toBe(5);
});

test("the next read begins after the one before, and what arrives after the session was left is ignored", async () => {
  const before = { me: ada.id, owner: ada, people: [ada, formerBob] };
  const { server, seen, left, minute } = await follow(before);
  const slow = Promise.withResolvers<SeenAs>();
  server.now = async () => await slow.promise;
  await minute();
  await minute();
  expect(server.reads).toBe(2);
  left.abort();
  slow.resolve({ ...before, people: [ada, bob] });
  await turn();
  await minute();
  expect([server.reads, seen]).toEqual([2, [before]]);
});

test("one's own server, which has no team, is read once", async () => {
  const { server, seen, minute } = await follow({ me: undefined, owner: undefined });
  await minute();
  expect([server.reads, seen.length]).toEqual([1, 1]);
});
