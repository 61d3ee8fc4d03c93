/** A past session on the terminal, beside live sessions that were opened when they had come so far. */
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { stamped } from "../generate/stamped.ts";
import { RESTORED } from "./emulator.ts";
import { openApp } from "./open-app.ts";
import { openReplay, type OpenReplay } from "./open-replay.ts";
import { expectReplayLikeLive } from "./replay-law.ts";

describe.concurrent("the law of the replay", () => {
  test.each([1, 2, 3])(
    "at any seq the replay draws the rows of a session opened at that seq, going there from before or after (seed %i)",
    async (seed) => {
      await expectReplayLikeLive({ seed, steps: 14 + seed * 8, positions: 5 });
    },
  );
});

const SPEECH = ["One ", "two ", "three."].map((text) => ({
  type: "text_delta" as const,
  turnId: "t1",
  member: "ada",
  segmentId: "s1",
  text,
}));

/** Each event a second after the one before, and an hour before the last. */
function spoken(): SessionEvent[] {
  const events = stamped([
    created({ title: "The talk" }),
    joined("ada"),
    said("m1", ["ada"], { text: "Count." }),
    started("t1", "ada", { messageIds: ["m1"] }),
    ...SPEECH,
    ended("t1", "ada"),
    said("m2", ["ada"], { text: "Thanks." }),
  ]);
  const [last] = events.splice(-1);
  return last === undefined ? [] : [...events, { ...last, ts: last.ts + 3_600_000 }];
}

const shown = (replay: OpenReplay) => replay.screen().join("\n");

describe("playing", () => {
  test("it plays by the recorded times, cuts long pauses to two seconds and says so", async () => {
    const replay = await openReplay({ events: spoken(), speed: 1 });
    await replay.pass(100);
    expect(shown(replay)).toMatch(/▶ playing 1× .* 0:00 \/ 0:09/);
    expect(shown(replay)).toContain("event 1 of 9 · seq 1");
    await replay.pass(3_000);
    expect(shown(replay)).toContain("event 4 of 9");
    await replay.pass(1_000);
    expect(shown(replay)).toContain("One");
    expect(shown(replay)).not.toContain("two");
    expect(shown(replay)).toContain("◌ ada working · 1s");
    await replay.pass(3_000);
    expect(shown(replay)).toContain("One two three.");
    expect(shown(replay)).toContain("a pause of 1h 00m is shortened to 2 s");
    expect(shown(replay)).not.toContain("Thanks.");
    await replay.pass(2_100);
    expect(shown(replay)).toContain("Thanks.");
    expect(shown(replay)).toMatch(/⏸ paused 1× .* 0:09 \/ 0:09/);
    await replay.close();
  });

  test("keys pause, step, jump to messages, change the speed, seek and search; q leaves and the terminal is as it was", async () => {
    const replay = await openReplay({ events: spoken(), speed: 2 });
    const press = async (...keys: string[]) => {
      for (const key of keys) replay.type(key);
      await replay.settle();
      return shown(replay);
    };
    await replay.pass(600);
    expect(await press(" ")).toContain("⏸ paused 2×");
    const at = /event (\d) of 9/.exec(shown(replay))?.[1];
    await replay.pass(5_000);
    expect(shown(replay)).toContain(`event ${at} of 9`);
    expect(await press("\u001b[H")).toContain("event 0 of 9 · before the first");
    expect(await press("\u001b[C", "\u001b[C")).toContain("event 2 of 9");
    expect(await press("\u001b[D")).toContain("event 1 of 9");
    expect(await press("\u001b[1;2C")).toContain("event 3 of 9");
    expect(await press("\u001b[1;2C")).toContain("event 9 of 9");
    expect(await press("\u001b[1;2D")).toContain("event 3 of 9");
    expect(await press("\u001b[1;5C")).toContain("event 9 of 9");
    expect(await press("\u001b[1;5D")).toContain("event 0 of 9");
    expect(await press("+", "+")).toContain("paused 8×");
    expect(await press("-")).toContain("paused 4×");
    expect(await press("\u001b[F")).toContain("event 9 of 9");
    expect(await press("g")).toContain("Go to which event, 0 to 9?");
    expect(await press("5", "\r")).toContain("event 5 of 9 · seq 5");
    expect(await press("g", "x", "\r")).toContain('"x" is not a number.');
    expect(await press("/", "C", "o", "u", "n", "t", "\r")).toContain("1 of 1");
    await press("\u001b");
    expect(await press("?")).toContain("Keys of a replay");
    await press("\u001b");
    replay.type("q");
    await replay.over;
    await replay.settle();
    expect(replay.modes).toEqual(RESTORED);
  });
});

test("a session whose directory is gone says so when it is opened, and one whose directory is there says nothing", async () => {
  const events = stamped([created({ cwd: "/gone/away" }), joined("ada")]);
  const lost = await openApp({ events, more: { hasDirectory: () => false } });
  const there = await openApp({ events, more: { hasDirectory: () => true } });
  await Promise.all([lost.settle(), there.settle()]);
  expect(lost.screen().join(" ").replaceAll(/\s+/g, " ")).toContain(
    "The directory of this session no longer exists: /gone/away. Members cannot work until it is restored.",
  );
  expect(there.screen().join(" ")).not.toContain("not there any more");
  await Promise.all([lost.close(), there.close()]);
});
