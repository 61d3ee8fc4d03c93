import { expect, test } from "vitest";
import { LogScene, longTranscript, withoutPages } from "../../../test/tui/log-scene.ts";
import { testLog, THEME } from "../../../test/tui/open-log.ts";
import { MATCHES_MAX } from "./transcript-search.ts";

/** "needle" stands twice in every hundredth message. */
const hay = longTranscript(1_000, (position) => (position % 100 === 50 ? "a Needle\nand a needle" : `hay ${position}`));

test("search ignores case, starts at the last match in or above the view and scrolls to it", async () => {
  const log = testLog(hay);
  await log.rows();
  log.log.search("NEEDLE");
  const rows = await log.rows();
  expect(rows.filter((row) => row.startsWith("950|"))).toEqual(["950|user", "950|a Needle", "950|and a needle"]);
  expect(log.log.searchState).toEqual({ query: "NEEDLE", at: 20, count: 20, pagesLeft: 0 });
  expect(log.log.isFollowing).toBe(false);
});

test("next and previous go from match to match, around the ends", async () => {
  const log = testLog(hay);
  await log.rows();
  log.log.search("needle");
  await log.rows();
  const seen: (number | undefined)[] = [];
  for (const direction of ["previous", "previous", "next", "next", "next", "previous"] as const) {
    log.log.searchNext(direction);
    await log.rows();
    seen.push(log.log.searchState?.at);
  }
  expect(seen).toEqual([19, 18, 19, 20, 1, 20]);
  log.log.searchNext("next");
  expect(await log.positions()).toContain(50);
});

test("matches in view are marked, the current one in another way, and nothing is after the search", async () => {
  const log = testLog(hay);
  await log.rows();
  const plain = async (): Promise<string[]> => (await log.screen.styledRows()).filter((row) => row.includes("eedle"));
  log.log.search("needle");
  await log.rows();
  const [first, second] = await plain();
  const styled = THEME.paint("match", "Needle");
  expect(styled).not.toBe("Needle");
  expect(first).toMatch(/^950\|a \{[^}]+\}Needle/);
  expect(second).toMatch(/^950\|and a \{b[^}]+\}needle/);
  expect(/\{([^}]+)\}/.exec(first ?? "")?.[1]).not.toBe(/\{([^}]+)\}/.exec(second ?? "")?.[1]);
  log.log.endSearch();
  expect(await plain()).toEqual(["950|a Needle", "950|and a needle"]);
  expect(log.log.searchState).toBeUndefined();
});

test("pages that are not in memory are fetched one by one, oldest last, and counted down", async () => {
  const log = testLog(withoutPages(hay, (page) => page >= 5));
  await log.rows();
  log.log.search("needle");
  await log.rows();
  expect(log.log.searchState).toEqual({ query: "needle", at: 8, count: 8, pagesLeft: 5 });
  expect(log.asked).toEqual([4]);
  for (const from of [4, 3, 2, 1, 0]) {
    log.show(withoutPages(hay, (page) => page >= from));
    await log.rows();
    expect(log.log.searchState?.pagesLeft).toBe(from);
  }
  expect(log.asked).toEqual([4, 3, 2, 1, 0]);
  expect(log.log.searchState).toEqual({ query: "needle", at: 20, count: 20, pagesLeft: 0 });
});

test("what was found stays found when its page leaves memory", async () => {
  const log = testLog(withoutPages(hay, (page) => page >= 5));
  await log.rows();
  log.log.search("needle");
  await log.rows();
  log.show(withoutPages(hay, (page) => page === 4));
  await log.rows();
  expect(log.log.searchState).toEqual({ query: "needle", at: 10, count: 10, pagesLeft: 4 });
});

test("the first match is shown when it turns up, unless the user has scrolled meanwhile", async () => {
  const rare = longTranscript(1_000, (position) => (position === 300 ? "needle" : `hay ${position}`));
  for (const isScrolled of [false, true]) {
    const log = testLog(withoutPages(rare, (page) => page >= 3));
    await log.rows();
    log.log.search("needle");
    const waiting = await log.rows();
    expect(log.log.searchState).toEqual({ query: "needle", at: 0, count: 0, pagesLeft: 3 });
    if (isScrolled) log.log.scrollBy(-1);
    log.show(withoutPages(rare, (page) => page >= 2));
    const rows = await log.rows();
    expect((await log.positions()).includes(300)).toBe(!isScrolled);
    expect(log.log.searchState).toMatchObject({ at: isScrolled ? 0 : 1, count: 1 });
    if (isScrolled) expect(rows.slice(1)).toEqual(waiting.slice(0, -1));
  }
});

test("going up from the oldest match found waits for older ones while pages are left", async () => {
  const log = testLog(withoutPages(hay, (page) => page >= 7));
  await log.rows();
  log.log.search("needle");
  await log.rows();
  expect(log.log.searchState).toMatchObject({ at: 2, count: 2 });
  log.log.searchNext("previous");
  log.log.searchNext("previous");
  await log.rows();
  expect(log.log.searchState).toMatchObject({ at: 1, count: 2 });
  log.show(withoutPages(hay, (page) => page >= 6));
  await log.rows();
  expect(log.log.searchState).toMatchObject({ at: 2, count: 4 });
  expect(await log.positions()).toContain(850);
});

test("text that arrives during a search is matched, and text that is removed is not", async () => {
  const scene = new LogScene();
  scene.user("one needle");
  const turnId = scene.start();
  const log = testLog(scene.transcript);
  await log.rows();
  log.log.search("needle");
  await log.rows();
  expect(log.log.searchState).toMatchObject({ at: 1, count: 1 });
  scene.delta(turnId, "a nee");
  log.show(scene.transcript);
  expect(log.log.searchState).toMatchObject({ at: 1, count: 1 });
  scene.delta(turnId, "dle");
  log.show(scene.transcript);
  expect(log.log.searchState).toMatchObject({ at: 1, count: 2 });
  scene.add({ type: "text_retracted", turnId, member: "ann", segmentId: `${turnId}-text` });
  log.show(scene.transcript);
  expect(log.log.searchState).toMatchObject({ at: 1, count: 1 });
  scene.clear();
  log.show(scene.transcript);
  await log.rows();
  expect(log.log.searchState).toMatchObject({ at: 0, count: 0 });
});

test("a search that finds too much stops, and says that pages are left", async () => {
  const log = testLog(longTranscript(40_000, () => "needle"));
  await log.rows();
  log.log.search("needle");
  for (let drawing = 0; drawing < 30; drawing += 1) await log.screen.settle();
  const state = log.log.searchState;
  expect(state?.count).toBeGreaterThanOrEqual(MATCHES_MAX);
  expect(state?.count).toBeLessThan(MATCHES_MAX + 128);
  expect(state?.pagesLeft).toBeGreaterThan(200);
});

test("signs of a pattern are only signs, and nothing but blanks is no search", async () => {
  const scene = new LogScene();
  scene.user("is a.b(c)* here? not aXb");
  const log = testLog(scene.transcript);
  await log.rows();
  log.log.search("A.B(C)*");
  await log.rows();
  expect(log.log.searchState).toMatchObject({ at: 1, count: 1 });
  log.log.search("   ");
  expect(log.log.searchState).toBeUndefined();
});
