import { visibleWidth } from "@earendil-works/pi-tui";
import { afterEach, expect, test } from "vitest";
import { createManualClock } from "../../../../test/host/manual-clock.ts";
import { KEY, showOverlay, type ShownOverlay } from "../../../../test/tui/shown-overlay.ts";
import type { SearchAnswer, SearchHit } from "../../../protocol/index.ts";
import type { Overlay } from "../overlay-surface.ts";
import { createSearchOverlay } from "./search-overlay.ts";

const HOSTILE = "\u001b]52;c;eA==\u0007\u001b[2J\u009b31m\u202eevil\u2066\r\n\u0000🇩🇪全角 word ".repeat(10);

const open: ShownOverlay<Overlay>[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

function hit(number: number, more: Partial<SearchHit> = {}): SearchHit {
  return {
    sessionId: `S${number}`,
    title: `Session ${number}`,
    cwd: "/project",
    seq: number,
    eventSeq: number + 1,
    ts: 0,
    kind: "text",
    member: "ada",
    snippet: `the parser ${number}`,
    marks: [[4, 10]],
    ...more,
  };
}

function answer(hits: readonly SearchHit[], more: Partial<SearchAnswer> = {}): SearchAnswer {
  return { hits: [...hits], hasMore: false, isComplete: true, sessionsLeft: 0, ...more };
}

interface Asked {
  readonly words: string;
  readonly resolve: (answer: SearchAnswer) => void;
  readonly reject: (error: Error) => void;
}

function showSearch({ words = "", columns = 60, rows = 16 } = {}) {
  const clock = createManualClock();
  const sentQueries: Asked[] = [];
  const log: unknown[] = [];
  const shown = showOverlay(
    (surface) =>
      createSearchOverlay(surface, {
        query: words,
        clock,
        currentId: "S2",
        search: (wanted: string) => {
          const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>();
          sentQueries.push({ words: wanted, resolve, reject });
          return promise;
        },
        requestRender: () => surface.tui.requestRender(),
        onPick: ({ sessionId, seq }) => log.push([sessionId, seq]),
        onClose: () => log.push("closed"),
      }),
    { columns, rows },
  );
  open.push(shown);
  const settle = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let step = 0; step < 10; step += 1) await Promise.resolve();
  };
  return { ...shown, sentQueries, log, settle };
}

test("/search asks the host once typing rests, and shows each find with who, where, when and its line", async () => {
  const shown = showSearch();
  shown.write("pars");
  await shown.settle(50);
  shown.write("er");
  await shown.settle(119);
  expect(shown.sentQueries).toEqual([]);
  await shown.settle(1);
  expect(shown.sentQueries.map(({ words }) => words)).toEqual(["parser"]);
  shown.sentQueries[0]?.resolve(answer([hit(1), hit(2, { kind: "output", tool: "bash" }), hit(3, { kind: "user" })]));
  await shown.settle(0);
  expect(await shown.text()).toMatchInlineSnapshot(`
    "─ Search all sessions ──────────────────────────────── 1/3 ─
     > parser
     3 found, newest first.
     ❯ ada · Session 1 · 53 years
       the parser 1
       ada bash output · this session · 53 years
       the parser 2
       ada · Session 3 · 53 years
       the parser 3
    ────────────────────────────────────────────────────────────
     Enter open · ↑ ↓ move · Esc close"
  `);
});

test("Enter goes to the marked find, Escape leaves; the marked one stays in view", async () => {
  const shown = showSearch({ words: "parser", rows: 12 });
  await shown.settle(0);
  shown.sentQueries[0]?.resolve(answer(Array.from({ length: 20 }, (_, number) => hit(number))));
  await shown.settle(0);
  expect(await shown.text()).toContain("❯ ada · Session 0");
  shown.press(KEY.down, KEY.down, KEY.down, KEY.down, KEY.up, KEY.pageDown);
  expect(await shown.text()).toContain("❯ ada · Session 6");
  shown.press(KEY.enter, KEY.escape);
  expect(shown.log).toEqual([["S6", 6], "closed"]);
});

test("an answer to an older query is dropped, a failure is shown, and an empty query asks nothing", async () => {
  const shown = showSearch();
  shown.write("one");
  await shown.settle(120);
  shown.write("s");
  await shown.settle(120);
  shown.sentQueries[1]?.resolve(answer([hit(2)]));
  shown.sentQueries[0]?.resolve(answer([hit(1)]));
  await shown.settle(0);
  expect(await shown.text()).toContain("the parser 2");
  shown.write("!");
  await shown.settle(120);
  shown.sentQueries[2]?.reject(new Error("There is nothing to look for."));
  await shown.settle(0);
  expect(await shown.text()).toContain("There is nothing to look for.");
  shown.press(...Array.from({ length: 5 }, () => KEY.backspace));
  await shown.settle(1_000);
  expect([shown.sentQueries.length, (await shown.text()).includes("newest first")]).toEqual([3, true]);
});

test("while sessions are not in the index yet it says how many, and asks again until they are", async () => {
  const shown = showSearch({ words: "parser" });
  await shown.settle(0);
  shown.sentQueries[0]?.resolve(answer([hit(1)], { isComplete: false, sessionsLeft: 7, hasMore: true }));
  await shown.settle(0);
  expect(await shown.text()).toContain("At least 1 found, newest first; 7 sessions are not in");
  await shown.settle(1_000);
  shown.sentQueries[1]?.resolve(answer([hit(1), hit(2)]));
  await shown.settle(5_000);
  expect([shown.sentQueries.length, await shown.text()]).toEqual([
    2,
    expect.stringContaining("2 found, newest first."),
  ]);
});

test.each([20, 40, 120])(
  "nothing of a session acts on the terminal or leaves the frame at %i columns",
  async (columns) => {
    const shown = showSearch({ words: HOSTILE, columns });
    await shown.settle(0);
    const marks: [number, number][] = [
      [0, 30],
      [31, 90],
    ];
    shown.sentQueries[0]?.resolve(
      answer([hit(1, { title: HOSTILE, snippet: HOSTILE, marks, member: HOSTILE, tool: HOSTILE })]),
    );
    await shown.settle(0);
    const rows = shown.overlay.render(columns);
    expect(rows.map((row) => visibleWidth(row)).filter((width) => width !== columns)).toEqual([]);
    // oxlint-disable-next-line no-control-regex
    const bare = rows.join("").replaceAll(/\u001b\[[0-9;]*m|\u001b_[^\u0007]*\u0007/g, "");
    expect([...bare.matchAll(/\p{Cc}|[\u202e\u2066]/gu)]).toEqual([]);
  },
);
