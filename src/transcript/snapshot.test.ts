import { expect, test } from "vitest";
import { created, joined, said, started } from "../../test/generate/drafts.ts";
import { stamped } from "../../test/generate/stamped.ts";
import type { EventDraft, Json } from "../protocol/index.ts";
import { empty } from "./empty.ts";
import { FOLD_VERSION, PAGE_SIZE, type Head, type Page } from "./model.ts";
import { fold } from "./fold.ts";
import { dropFrozenPages, fromSnapshot, toSnapshot, withPage } from "./snapshot.ts";

const notices = (count: number): EventDraft[] =>
  Array.from({ length: count }, () => ({ type: "warning", code: "x", message: "y" }));
const whole = fold(
  empty("session"),
  stamped([created(), joined("claude"), ...notices(3 * PAGE_SIZE), said("m1", ["claude"]), started("t1", "claude")]),
);
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const { pages, ...snapshot } = throughJson(toSnapshot(whole));
const state = snapshot.state as unknown as { head: Head; live: Page[] };

test("[T50] a snapshot names its position in the log and has the frozen pages beside it", () => {
  expect([snapshot.foldVersion, snapshot.epoch, snapshot.seq, snapshot.frozenPages]).toStrictEqual([
    FOLD_VERSION,
    1,
    whole.head.seq,
    3,
  ]);
  expect(pages.map(({ index }) => index)).toStrictEqual([0, 1, 2]);
});

test("[T50] a snapshot is restored exactly, its frozen pages absent until loaded", () => {
  const back = fromSnapshot(snapshot);
  expect(back).toStrictEqual({ ...whole, frozen: [undefined, undefined, undefined] });
  const loaded = pages.reduce((transcript, { index, page }) => withPage(transcript, index, page), back ?? empty(""));
  expect(loaded).toStrictEqual(whole);
});

test.each<[string, Partial<{ foldVersion: number; frozenPages: number; state: unknown }>]>([
  ["of another fold version", { foldVersion: FOLD_VERSION + 1 }],
  ["without a state", { state: null }],
  ["that is a list", { state: [] }],
  ["without a head", { state: { live: state.live } }],
  ["without pages", { state: { head: state.head } }],
  ["whose head lacks a field", { state: { ...state, head: { ...state.head, members: undefined } } }],
  ["whose head has a field of another kind", { state: { ...state, head: { ...state.head, queue: {} } } }],
  ["with another number of frozen pages", { frozenPages: 2 }],
  ["with fewer pages than its head counts", { state: { ...state, live: [] } }],
  ["with a page out of place", { state: { ...state, live: [{ ...state.live[0], index: 9 }] } }],
  ["with something in a page that is no message", { state: { ...state, live: [{ index: 3, messages: [1, 2] }] } }],
  ["with a place for a turn that is not open", { state: { ...state, head: { ...state.head, openTurns: {} } } }],
  [
    "with a page that is not full before another",
    {
      state: {
        head: { ...state.head, openTurns: {} },
        live: [
          { index: 3, messages: [{ kind: "notice" }] },
          { index: 4, messages: [{ kind: "notice" }] },
        ],
      },
    },
  ],
])("[T51] a snapshot %s is refused", (_, broken) => {
  expect(fromSnapshot({ ...snapshot, ...(broken as { state: Json }) })).toBeUndefined();
});

test("a page is restored only where one is absent, and only if it is complete", () => {
  const page = pages[1]?.page as Json;
  const back = fromSnapshot(snapshot) ?? empty("");
  expect(withPage(back, 1, page).frozen).toStrictEqual([undefined, whole.frozen[1], undefined]);
  expect(withPage(whole, 1, page)).toBe(whole);
  for (const [index, broken] of [
    [0, page],
    [-1, page],
    [3, page],
    [1, null],
    [1, { index: 1, messages: [] }],
  ] as const) {
    expect(withPage(back, index, broken as Json)).toBe(back);
  }
});

test("all frozen pages but the last can be dropped, and the fold continues the same", () => {
  expect(dropFrozenPages(whole, 1).frozen).toStrictEqual([undefined, undefined, whole.frozen[2]]);
  expect(dropFrozenPages(whole, 0).frozen).toStrictEqual([undefined, undefined, undefined]);
  expect(dropFrozenPages(whole, 9)).toBe(whole);
  expect(toSnapshot(dropFrozenPages(whole, 1)).pages.map(({ index }) => index)).toStrictEqual([2]);
});
