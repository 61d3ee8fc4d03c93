import { describe, expect, test } from "vitest";
import { lines, longTranscript, talk, withoutPages } from "../../../test/tui/log-scene.ts";
import { testLog, VIEW } from "../../../test/tui/open-log.ts";
import { createTheme } from "../theme/create-theme.ts";
import { PANELS_MAX } from "./panel-cache.ts";

const THEME_LIGHT = createTheme({ name: "light", depth: "256" });

describe("long sessions", () => {
  const long = longTranscript(100_000, (position) => `text ${position}`);

  test("of 100,000 messages only those in and beside the view are drawn, at first and for every screenful", async () => {
    const log = testLog(long);
    await log.rows();
    expect(log.deps.renders).toBeLessThan(60);
    for (const move of [
      () => log.log.pageUp(),
      () => log.log.toStart(),
      () => log.log.pageDown(),
      () => log.log.toEnd(),
    ]) {
      const before = log.deps.renders;
      move();
      await log.rows();
      expect(log.deps.renders - before).toBeLessThan(60);
    }
  });

  test("going up page by page shows every row once, also where heights were only guessed", async () => {
    const log = testLog(longTranscript(300, (position) => lines(1 + ((position * 7) % 23), `p${position}`)));
    const seen: string[] = [];
    let rows = await log.rows();
    seen.unshift(...rows);
    while (rows[0] !== "0|user") {
      log.log.scrollBy(-18);
      const next = await log.rows();
      const overlap = next.findLastIndex((row, at) => row === rows[0] && next[at + 1] === rows[1]);
      expect(overlap).toBeGreaterThan(0);
      seen.unshift(...next.slice(0, overlap));
      rows = next;
    }
    const all = Array.from({ length: 300 }, (_, position) => [
      `${position}|user`,
      ...lines(1 + ((position * 7) % 23), `p${position}`)
        .split("\n")
        .map((row) => `${position}|${row}`),
    ]).flat();
    expect(seen).toEqual(all);
  });

  test("panels out of view are evicted beyond a limit", async () => {
    const log = testLog(long);
    for (let page = 0; page < 100; page += 1) {
      log.log.pageUp();
      await log.screen.settle();
    }
    const made = log.deps.made;
    expect(made).toBeGreaterThan(PANELS_MAX * 2);
    log.log.toEnd();
    await log.rows();
    expect(log.deps.made).toBeGreaterThan(made);
  });

  test("pages that are not in memory are asked for once when near, and what is in view stays when they come", async () => {
    const absent = withoutPages(long, () => false);
    const log = testLog(absent);
    await log.rows();
    expect(log.asked).toEqual([780]);
    log.log.toStart();
    const placeholders = await log.rows();
    expect(placeholders[0]).toBe("⋯ loading message 1");
    await log.rows();
    expect(log.asked).toEqual([780, 0]);
    log.show(withoutPages(long, (page) => page === 0));
    expect((await log.rows())[0]).toBe("0|user");
    expect(log.asked).toEqual([780, 0]);
  });

  test.each([5, 15])("a page that comes moves nothing of what was in view below it (%i rows of it)", async (up) => {
    const texts = longTranscript(400, (position) => lines(1 + (position % 9)));
    const log = testLog(withoutPages(texts, (page) => page === 2));
    await log.rows();
    log.log.goTo({ key: 2 * 128, offset: 0 });
    await log.rows();
    log.log.scrollBy(-up);
    const before = await log.rows();
    expect(log.asked).toContain(1);
    const from = before.indexOf("256|user");
    expect(from).toBe(up);
    log.show(withoutPages(texts, (page) => page >= 1));
    const after = await log.rows();
    expect(after.slice(from)).toEqual(before.slice(from));
    expect(after[from - 1]).toBe("255|row 3");
  });

  test("a page that left memory is asked for again when it is wanted again", async () => {
    const log = testLog(withoutPages(long, () => false));
    await log.rows();
    log.log.toStart();
    await log.rows();
    log.log.toEnd();
    await log.rows();
    log.log.toStart();
    await log.rows();
    expect(log.asked).toEqual([780, 0, 780, 0]);
  });
});

describe("cleared", () => {
  test("what was said before a clear is not shown, and a mark says how much", async () => {
    const scene = talk(12);
    scene.clear();
    scene.user("fresh");
    const log = testLog(scene.transcript);
    expect((await log.rows()).filter((row) => row !== "")).toEqual(
      ["── cleared · 13 earlier messages are", "13|user", "13|fresh"].map((row, at) =>
        at === 0 ? expect.stringContaining("cleared · 13 earlier") : row,
      ),
    );
    scene.clear();
    log.show(scene.transcript);
    expect((await log.rows()).filter((row) => row !== "")).toEqual([expect.stringContaining("cleared · 15 earlier")]);
  });

  test("an empty session says what to do", async () => {
    const log = testLog(undefined);
    expect((await log.rows())[0]).toBe("No messages yet.");
    log.show(talk(2).transcript);
    expect((await log.rows())[0]).toBe("0|user");
  });

  test("another session starts at its end, with nothing of the one before", async () => {
    const log = testLog(talk(40).transcript);
    await log.rows();
    log.log.toStart();
    log.log.select("next");
    log.log.search("question");
    await log.rows();
    const other = talk(30).transcript;
    log.show({ ...other, head: { ...other.head, sessionId: "other" } });
    expect((await log.rows()).at(-1)).toBe("29|with a second row");
    expect([log.log.isFollowing, log.log.selected, log.log.searchState]).toEqual([true, undefined, undefined]);
  });
});

describe("showing", () => {
  test("another theme and other settings are seen at once, and the message in the middle stays in view", async () => {
    const log = testLog(longTranscript(50, () => "text"));
    await log.rows();
    log.log.pageUp();
    const before = await log.rows();
    const { renders } = log.deps;
    log.log.setTheme(THEME_LIGHT);
    expect(await log.rows()).toEqual(before);
    expect(log.deps.renders).toBeGreaterThan(renders);
    log.log.setSettings({ ...VIEW, isRaw: true });
    const raw = await log.rows();
    expect(raw.every((row) => row.endsWith("|text"))).toBe(true);
    expect(raw.map((row) => Number.parseInt(row, 10))).toContain(Number.parseInt(before[10] ?? "", 10));
  });

  test("a new picture of 100,000 messages costs only what changed", async () => {
    const before = longTranscript(100_000, (position) => `text ${position}`);
    const log = testLog(before);
    await log.rows();
    let reads = 0;
    const counted = new Proxy(before.frozen, {
      get(target, key, receiver): unknown {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    const { renders } = log.deps;
    log.show({ ...before, frozen: counted, head: { ...before.head, title: "renamed" } });
    await log.rows();
    expect(reads).toBeLessThan(1_000);
    expect(log.deps.renders).toBe(renders);
  });
});
