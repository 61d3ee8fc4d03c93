import { describe, expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { sampleLog } from "../../../test/generate/session-log.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { runReplayLines } from "./replay-lines.ts";

const TALK = stamped([
  created({ title: "The talk" }),
  joined("ada"),
  said("m1", ["ada"], { text: "Count." }),
  started("t1", "ada", { messageIds: ["m1"] }),
  { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "One, two." },
  ended("t1", "ada"),
]);

async function* lots(events: readonly SessionEvent[], size: number) {
  for (let at = 0; at < events.length; at += size) yield events.slice(at, at + size);
}

async function replay(events: readonly SessionEvent[], { speed = 0, size = 3 } = {}) {
  let text = "";
  const waits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      waits.push(ms);
      return systemClock.after(0, callback);
    },
  };
  await runReplayLines({
    sessionId: "session",
    events: lots(events, size),
    speed,
    signal: new AbortController().signal,
    write: (piece) => (text += piece),
    flush: async () => {},
    clock,
  });
  return { text, waits };
}

describe("a replay as lines", () => {
  test("a replay uses the reader's wording and the recorded pauses divided by the speed", async () => {
    const once = await replay(TALK);
    expect(once).toEqual({
      text: `You wrote to ada:
  Count.
ada is answering.
ada says:
  One, two.
ada finished, 1 s.
The replay has ended at event 6.
`,
      waits: [],
    });
    const late = TALK.map((event) => (event.seq === 6 ? { ...event, ts: event.ts + 3_600_000 } : event));
    expect(await replay(late, { speed: 4 })).toEqual({ text: once.text, waits: [250, 250, 250, 250, 500] });
  });

  test("the output is the same for any batching of events and any length of session", async () => {
    for (const seed of [3, 5]) {
      const events = sampleLog(seed, { steps: 120 });
      const [whole, single] = [await replay(events, { size: 10_000 }), await replay(events, { size: 1 })];
      expect(single.text, `seed ${seed}`).toBe(whole.text);
    }
  });

  test("ended from outside, it says nothing more", async () => {
    const stop = new AbortController();
    let text = "";
    const over = runReplayLines({
      sessionId: "session",
      events: lots(TALK, 1),
      speed: 0.001,
      signal: stop.signal,
      write: (piece) => (text += piece),
      flush: async () => {},
    });
    stop.abort();
    await over;
    expect(text).toBe("");
  });
});
