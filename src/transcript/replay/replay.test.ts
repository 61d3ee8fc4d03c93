import { describe, expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { sampleLog } from "../../../test/generate/session-log.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { Player, type NextFrame, type PlayerState } from "./player.ts";
import { Recording, createPace, createTimeline, PAUSE_MAX_MS } from "./recording.ts";

describe("times", () => {
  test("an event follows the one before after the recorded delay, at most two seconds, and never earlier", () => {
    const times = [1_000, 1_500, 9_000, 8_000, 9_100, 9_100];
    const timeline = createTimeline(times.length, (step) => times[step - 1] ?? 0);
    expect([1, 2, 3, 4, 5, 6].map((step) => timeline.timeAt(step))).toEqual([0, 500, 2_500, 2_500, 3_600, 3_600]);
    expect([timeline.totalMs, timeline.cutBefore(3), timeline.cutBefore(2)]).toEqual([3_600, 5_500, 0]);
    expect([0, 499, 500, 2_499, 2_500, 9_999].map((ms) => timeline.stepAt(ms))).toEqual([1, 1, 2, 2, 4, 6]);
    const pace = createPace();
    expect(times.map((ts) => pace.next(ts).waitMs)).toEqual([0, 500, PAUSE_MAX_MS, 0, 1_100, 0]);
  });
});

function recorded(events: readonly SessionEvent[]): Recording {
  const recording = new Recording("session");
  for (let at = 0; at < events.length; at += 100) recording.add(events.slice(at, at + 100));
  return recording;
}

describe("a recording", () => {
  test("gives the fold of any number of its events, in any order of requests", () => {
    const events = sampleLog(7, { steps: 160, damage: true });
    const recording = recorded(events);
    expect(events.length).toBeGreaterThan(600);
    for (const step of [events.length, 0, 300, 299, 513, 12, 512, 1, events.length - 1]) {
      expect(recording.transcriptAt(step)).toEqual(fold(empty("session"), events.slice(0, step)));
    }
  });

  test("a lost seq gives the state before it", () => {
    const events = sampleLog(4, { steps: 20, damage: true });
    const recording = recorded(events);
    const last = events.at(-1)?.seq ?? 0;
    expect(last).toBeGreaterThan(events.length);
    for (let seq = 0; seq <= last + 1; seq += 1) {
      expect(recording.stepOf(seq)).toBe(events.filter((event) => event.seq <= seq).length);
    }
  });
});

describe("a player", () => {
  const EVENTS = stamped([
    created(),
    joined("ada"),
    said("m1", ["ada"]),
    started("t1", "ada"),
    ended("t1", "ada"),
    said("m2", ["ada"]),
  ]);

  function open(speed = 1) {
    let frame: ((now: number) => void) | undefined;
    const nextFrame: NextFrame = (draw) => {
      frame = draw;
      return () => (frame = undefined);
    };
    const states: PlayerState[] = [];
    const player = new Player({
      recording: recorded(EVENTS),
      onChange: (state) => states.push(state),
      nextFrame,
      speed,
    });
    let now = START_TS;
    return {
      player,
      /** One frame, so long after the one before; false when none was asked for. */
      pass: (ms: number): boolean => {
        now += ms;
        const draw = frame;
        frame = undefined;
        draw?.(now);
        return draw !== undefined;
      },
    };
  }

  test("plays at the chosen speed, skips time without frames and stops at the end", () => {
    const { player, pass } = open(4);
    player.goTo(0);
    player.play();
    expect([pass(0), player.state.step]).toEqual([true, 1]);
    pass(200);
    expect(player.state).toEqual({ step: 1, isPlaying: true, speed: 4, ms: 800 });
    pass(60_000);
    expect(player.state).toEqual({ step: 2, isPlaying: true, speed: 4, ms: 1_800 });
    player.setSpeed(64);
    pass(250);
    expect(player.state).toEqual({ step: 6, isPlaying: false, speed: 64, ms: 5_000 });
    expect(pass(10)).toBe(false);
    player.play();
    expect([player.state.step, player.state.isPlaying]).toEqual([0, true]);
  });

  test("pauses when moved by hand to an event, time, seq or message", () => {
    const { player, pass } = open();
    player.goTo(0);
    player.play();
    const steps = [
      () => player.goBy(2),
      () => player.goBy(-9),
      () => player.goToUser(1),
      () => player.goToUser(1),
      () => player.goToUser(1),
      () => player.goToUser(-1),
      () => player.goByTime(2_000),
      () => player.goByTime(-60_000),
      () => player.goToSeq(5),
    ].map((move) => {
      move();
      return [player.state.step, player.state.isPlaying];
    });
    expect(steps).toEqual([2, 0, 3, 6, 6, 3, 5, 0, 5].map((step) => [step, false]));
    expect(pass(100)).toBe(false);
  });
});
