/**
 * Logs of sessions that never happened but could have: members that answer side by side, call tools, ask back, are
 * steered, cancelled and retried, crash at any place and recover; and what should not happen but does: late events,
 * unknown types, lost lines. The same choices always give the same log.
 */
import * as fc from "fast-check";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { otherActions } from "./other-actions.ts";
import { createScene, type Pick } from "./session-scene.ts";
import { conversationActions } from "./conversation-actions.ts";

const actions = [...conversationActions, ...otherActions];

export interface LogOptions {
  /** At most so many things happen; most of them are several events. */
  steps: number;
  /** Lines the log lost, as their reader reports them. */
  damage?: boolean;
}

/** Shrinks to fewer steps and to simpler choices. */
export function sessionLog(options: LogOptions): fc.Arbitrary<SessionEvent[]> {
  const choices = fc.array(fc.nat(0xffff), { minLength: 6, maxLength: 6 });
  const steps = fc.array(choices, { maxLength: options.steps, size: "max" });
  const holes = fc.array(fc.tuple(fc.nat(0xffff), fc.integer({ min: 1, max: 12 })), {
    maxLength: options.damage === true ? 3 : 0,
  });
  return fc.tuple(steps, holes).map(([made, lost]) => withDamage(play(made), lost));
}

/** The same, from a seed alone: for benchmarks and for logs that are long on purpose. */
export function sampleLog(seed: number, options: LogOptions): SessionEvent[] {
  const random = mulberry32(seed);
  const next = () => Math.floor(random() * 0x10000);
  const steps = Array.from({ length: options.steps }, () => Array.from({ length: 6 }, next));
  const holes =
    options.damage === true ? Array.from({ length: 3 }, (): [number, number] => [next(), 1 + (next() % 12)]) : [];
  return withDamage(play(steps), holes);
}

function play(steps: readonly (readonly number[])[]): SessionEvent[] {
  const scene = createScene();
  for (const [first = 0, ...rest] of steps) {
    const possible = actions.filter((action) => action.when?.(scene) ?? true);
    const total = possible.reduce((sum, action) => sum + action.weight, 0);
    let left = first % total;
    const chosen = possible.find((action) => (left -= action.weight) < 0);
    chosen?.run(scene, pickFrom(rest));
  }
  return scene.events;
}

/** Choices from a fixed list, over and over. */
function pickFrom(numbers: readonly number[]): Pick {
  let used = 0;
  return (count) => {
    const number = numbers[used % numbers.length] ?? 0;
    used += 1;
    return (number + Math.floor(used / (numbers.length + 1))) % Math.max(1, count);
  };
}

/** Replaces ranges of events by the `damage` that a reader of the broken file would give. */
function withDamage(events: readonly SessionEvent[], holes: readonly (readonly [number, number])[]): SessionEvent[] {
  let kept = [...events];
  for (const [where, length] of holes) {
    if (kept.length === 0) break;
    const from = where % kept.length;
    const lost = kept.slice(from, from + length);
    const [first, last] = [lost[0], lost.at(-1)];
    if (first === undefined || last === undefined || lost.some((event) => event.type === "damage")) continue;
    const damage: SessionEvent = {
      seq: last.seq,
      epoch: last.epoch,
      id: `damage-${first.seq}`,
      ts: 0,
      sessionId: last.sessionId,
      type: "damage",
      fromSeq: first.seq,
      toSeq: last.seq,
      offset: first.seq * 250,
      bytes: lost.length * 250,
    };
    kept = kept.toSpliced(from, lost.length, damage);
  }
  return kept;
}

/** A small generator with a seed, so that a sample can be made again. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
