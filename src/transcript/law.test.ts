/** The central law over generated logs. SEED=… repeats a run, SHRINK=1 looks for the smallest log that fails (slow). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  expectTotals,
  expectFrozenPagesStay,
  expectLaw,
  expectLawAtEverySeq,
  expectLawWithPagesDropped,
  foldLive,
} from "../../test/generate/law.ts";
import { sampleLog, sessionLog } from "../../test/generate/session-log.ts";
import { empty } from "./empty.ts";
import { fold } from "./fold.ts";
import { loadedMessages } from "./selectors/messages.ts";
import { rounds } from "../../test/rounds.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const settings = { seed: SEED, endOnFailure: process.env["SHRINK"] === undefined };

describe(`generated logs, SEED=${SEED}`, () => {
  test("[T1] live, replayed and from a snapshot at every seq, a short log gives the same transcript at every seq", () => {
    fc.assert(
      fc.property(sessionLog({ steps: 30, damage: true }), (events) => expectLawAtEverySeq(events.slice(0, 60))),
      { ...settings, numRuns: rounds(4, 250) },
    );
  });

  test("[T1] live, replayed, in batches and from a snapshot anywhere, a long log gives the same transcript", () => {
    const placeholders = fc.array(fc.nat(0xffff), { minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(sessionLog({ steps: 250, damage: true }), placeholders, (events, cuts) =>
        expectLaw(
          events,
          cuts.map((cut) => cut % (events.length + 1)),
        ),
      ),
      { ...settings, numRuns: rounds(4, 300) },
    );
  });

  test("[T1] a log of many pages gives the same transcript when frozen pages are dropped on the way", () => {
    expectLawWithPagesDropped(sampleLog(SEED, { steps: rounds(250, 5_000) }), { everySeqs: 397 });
  });

  test("[T2] a frozen page never changes, and frozen pages are full and come before all others", () => {
    fc.assert(fc.property(sessionLog({ steps: 400, damage: true }), expectFrozenPagesStay), {
      seed: SEED,
      numRuns: rounds(4, 200),
    });
  });

  test("[T3] at every seq every position exists once, every open turn has one position, and members run with their turns", () => {
    fc.assert(fc.property(sessionLog({ steps: 150, damage: true }), expectTotals), {
      ...settings,
      numRuns: rounds(4, 200),
    });
  });

  test("[T4] an event of an unknown type is in the transcript, unless the turn it was in was replaced", () => {
    fc.assert(
      fc.property(sessionLog({ steps: 200 }), (events) => {
        const text = JSON.stringify(fold(empty("session"), events));
        const replaced = new Set(events.flatMap((event) => (event.type === "turn_start" ? [event.replaces] : [])));
        const unknown = events.filter(({ type, turnId }) => type.startsWith("hologram") && !replaced.has(turnId));
        expect(unknown.filter((event) => !text.includes(`"id":"${event.id}"`))).toStrictEqual([]);
      }),
      { ...settings, numRuns: rounds(4, 200) },
    );
  });
});

test("[T1] the generator covers the cases of the law", () => {
  const events = sampleLog(8, { steps: 1000 });
  const states = foldLive(events);
  const last = states.at(-1) ?? empty("session");
  const shown = [...loadedMessages(last)];
  const damaged = sampleLog(8, { steps: 1000, damage: true });
  expect({
    types: new Set(events.map((event) => event.type)).size > 55,
    damage: damaged.some((event) => event.type === "damage"),
    frozen: last.frozen.length > 3,
    replaced: shown.some((message) => message.kind === "turn" && message.replaced.length > 1),
    requests: states.some((state) => state.head.requests.length > 1),
    openTurns: states.some((state) => Object.keys(state.head.openTurns).length > 3),
    waiting: states.some((state) => Object.values(state.head.members).some((member) => member.state === "waiting")),
  }).toStrictEqual({
    types: true,
    damage: true,
    frozen: true,
    replaced: true,
    requests: true,
    openTurns: true,
    waiting: true,
  });
});
