/** The client of real hosts and servers, over connections that fail in every way we know. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followWithDefect, sendWithDefect } from "./faulty-clients.ts";
import { carriers } from "./carriers.ts";
import { FAULTLESS } from "./check-view.ts";
import { goHalfOpen } from "./half-open.ts";
import { loseAnswers } from "./lost-answers.ts";
import { runChaos } from "./chaos-run.ts";
import { restartOften } from "./restarts.ts";
import { ServedSession } from "./served-session.ts";

const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);
const CLIENTS = 4;
let served: ServedSession;

beforeAll(async () => {
  console.log(`chaos seed: ${seed}`);
  served = await ServedSession.start();
});
afterAll(() => served.close());

// What takes longest begins first.
describe.concurrent("hosts that go", () => {
  test("[C47] 2 kills of the host: the views stay whole, and every message is in the log exactly once", async () => {
    const { epochs, refused, judgements, wrong } = await restartOften({ kills: 2, seed });
    expect([judgements, wrong, refused, epochs]).toEqual([[FAULTLESS, FAULTLESS], [], 0, 3]);
  });
});

describe.concurrent("a connection that fails", () => {
  test.each([...carriers, "event-stream"] as const)(
    "20 faults on %s: each view is the fold of the log, nothing missing, nothing twice, all there soon after",
    async (carrier) => {
      const run = await runChaos({ served, carrier, clients: CLIENTS, faults: 20, seed });
      const { faults, events, caughtUpMs, judgements } = run;
      console.log(`${carrier}: ${faults} faults, ${events} events, caught up in ${Math.round(caughtUpMs)} ms`);
      expect(judgements).toEqual(Array.from({ length: CLIENTS }, () => FAULTLESS));
    },
  );
});

describe.concurrent("answers that go", () => {
  test.each(carriers)("[C46] 20 lost answers on %s: every message is in the log exactly once", async (carrier) => {
    const { committed, refused, wrong } = await loseAnswers({ served, carrier, count: 20, seed });
    console.log(`${carrier}: 20 answers lost, ${committed} of them to messages that were in the log`);
    expect([wrong, refused, committed > 3]).toEqual([[], 0, true]);
  });
});

describe.concurrent("one direction that vanishes", () => {
  test.each(carriers)("on %s: a frame of the host is lost, and noticed without a later event", async (carrier) => {
    const { judgement, wrong, reasons } = await goHalfOpen(served, carrier, "down");
    expect([judgement, wrong]).toEqual([FAULTLESS, []]);
    // On a busy machine the new connection may be silent for too long as well.
    expect(new Set(reasons)).toEqual(new Set(["the host was silent for N ms"]));
  });

  test.each(carriers)("on %s: the client's frames do not arrive, though the host's do", async (carrier) => {
    const { judgement, wrong, reasons } = await goHalfOpen(served, carrier, "up");
    expect([judgement, wrong, reasons.length > 0]).toEqual([FAULTLESS, [], true]);
  });
});

describe.concurrent("the judges", () => {
  test("find nothing wrong with a client that resumes at its cursor and repeats under the same id", async () => {
    expect(await followWithDefect(served, 0)).toEqual(FAULTLESS);
    expect(await sendWithDefect(served, "m0")).toEqual([]);
  });

  test.each([-1, 1])("find a client that resumes %i beside its cursor", async (skew) => {
    const { gaps, repeats } = await followWithDefect(served, skew);
    expect(skew < 0 ? repeats : gaps).toBe(4);
  });

  test("find a message that was repeated under a new id", async () => {
    expect(await sendWithDefect(served, "m1")).toEqual(["m1: nobody sent it"]);
  });
});
