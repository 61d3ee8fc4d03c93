/** The central law and what every log, however odd, must keep, as checks that the tests and the long runs share. */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Json, SessionEvent } from "../../src/protocol/index.ts";
import {
  dropFrozenPages,
  empty,
  fold,
  fromSnapshot,
  loadedMessages,
  PAGE_SIZE,
  reduce,
  toSnapshot,
  withPage,
  type Transcript,
} from "../../src/transcript/index.ts";

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) deepFreeze(field);
  }
  return value;
}

/** Every state of the log, folded live one by one, each made unchangeable as soon as it is there. */
export function foldLive(events: readonly SessionEvent[]): Transcript[] {
  const states = [deepFreeze(empty("session"))];
  for (const event of events) states.push(deepFreeze(reduce(states.at(-1) as Transcript, deepFreeze(event))));
  return states;
}

/** As a process does that opens a session from what another one left on disk. */
function reopen(state: Transcript): { transcript: Transcript; pages: Map<number, Json> } {
  const { pages, ...snapshot } = throughJson(toSnapshot(state));
  const transcript = fromSnapshot(snapshot);
  if (transcript === undefined) throw new Error("Our own snapshot was refused.");
  return { transcript, pages: new Map(pages.map(({ index, page }) => [index, page])) };
}

function loadPages(transcript: Transcript, pages: ReadonlyMap<number, Json>): Transcript {
  return [...pages].reduce((loaded, [index, page]) => withPage(loaded, index, page), transcript);
}

function expectSame(actual: Transcript, expected: Transcript): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
}

export function expectLaw(events: readonly SessionEvent[], cuts: readonly number[]): void {
  const live = foldLive(events);
  const last = live.at(-1) as Transcript;
  const replayed = throughJson(events);
  expectSame(fold(empty("session"), replayed), last);
  let batched = empty("session");
  let from = 0;
  for (const to of [...cuts, events.length].toSorted((a, b) => a - b)) {
    batched = fold(batched, replayed.slice(from, to));
    expectSame(batched, live[to] as Transcript);
    from = to;
  }
  for (const cut of cuts) {
    const { transcript, pages } = reopen(live[cut] as Transcript);
    expectSame(loadPages(transcript, pages), live[cut] as Transcript);
    expectSame(loadPages(fold(transcript, replayed.slice(cut)), pages), last);
  }
}

/** Quadratic: for short logs. */
export function expectLawAtEverySeq(events: readonly SessionEvent[]): void {
  const live = foldLive(events);
  const replayed = throughJson(events);
  for (const [cut, state] of live.entries()) {
    const { transcript, pages } = reopen(state);
    expectSame(loadPages(transcript, pages), state);
    let tail = transcript;
    for (const [offset, event] of replayed.slice(cut).entries()) {
      tail = reduce(tail, event);
      expectSame(loadPages(tail, pages), live[cut + offset + 1] as Transcript);
    }
  }
}

/** As in a process that keeps its memory bounded: pages are let go while the log is folded, and loaded at the end. */
export function expectLawWithPagesDropped(events: readonly SessionEvent[], options: { everySeqs: number }): void {
  const live = foldLive(events);
  const last = live.at(-1) as Transcript;
  const pages = new Map(toSnapshot(last).pages.map(({ index, page }) => [index, throughJson(page)]));
  for (let cut = 0; cut < events.length; cut += options.everySeqs) {
    let tail = reopen(live[cut] as Transcript).transcript;
    for (const event of events.slice(cut)) tail = dropFrozenPages(reduce(tail, event), 1);
    expectSame(loadPages(tail, pages), last);
  }
}

export function expectFrozenPagesStay(events: readonly SessionEvent[]): void {
  let before = empty("session");
  for (const state of foldLive(events)) {
    const pages = [...state.frozen, ...state.live];
    expectNone(before.frozen.filter((page, index) => state.frozen[index] !== page));
    expectNone(pages.filter((page, index) => page?.index !== index));
    expectNone(pages.slice(0, -1).filter((page) => page?.messages.length !== PAGE_SIZE));
    before = state;
  }
}

/** Every position is there once, every open turn has one place, and members run while a turn of theirs is open. */
export function expectTotals(events: readonly SessionEvent[]): void {
  for (const state of foldLive(events)) {
    const { head } = state;
    const shown = [...loadedMessages(state)];
    if (shown.length !== head.messageCount) expect(shown).toHaveLength(head.messageCount);
    expectNone(shown.filter((message, position) => message.position !== position));
    const open = bySeq(shown.filter((message) => message.kind === "turn" && message.end === undefined));
    const booked = bySeq(Object.values(head.openTurns));
    if (!isDeepStrictEqual(open, booked)) expect(open).toStrictEqual(booked);
    const members = Object.values(head.members);
    expectNone(members.filter((member) => (member.state === "running") !== (member.turnId !== undefined)));
  }
}

const bySeq = <T extends { readonly seq: number }>(items: readonly T[]) => items.toSorted((a, b) => a.seq - b.seq);

/** These are asked at every seq of every log, and to ask `expect` costs more than to look. */
function expectNone(found: readonly unknown[]): void {
  if (found.length > 0) expect(found).toStrictEqual([]);
}
