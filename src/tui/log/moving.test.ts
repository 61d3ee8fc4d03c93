import { describe, expect, test } from "vitest";
import { longTranscript, talk, withoutPages } from "../../../test/tui/log-scene.ts";
import { testLog } from "../../../test/tui/open-log.ts";

describe("moving", () => {
  test("pages, lines, start and end", async () => {
    const log = testLog(longTranscript(50, (position) => `text ${position}`));
    const end = await log.rows();
    log.log.pageUp();
    const up = await log.rows();
    expect(up.slice(18)).toEqual(end.slice(0, 2));
    log.log.pageDown();
    // A layout may ask for the rows more than once before it is painted.
    log.log.component.render(40);
    expect(await log.rows()).toEqual(end);
    log.log.toStart();
    const start = await log.rows();
    expect(start[0]).toBe("0|user");
    log.log.scrollBy(1);
    expect((await log.rows()).slice(0, 19)).toEqual(start.slice(1));
    log.log.scrollBy(-50);
    expect(await log.rows()).toEqual(start);
    log.log.toEnd();
    expect(await log.rows()).toEqual(end);
    expect(log.log.position).toBeUndefined();
    log.log.goTo({ key: 7, offset: 1 });
    expect((await log.rows())[0]).toBe("7|text 7");
    expect(log.log.position).toEqual({ key: 7, offset: 1 });
    log.log.goTo({ key: 5_000, offset: 0 });
    expect(await log.rows()).toEqual(end);
  });

  test("jumps to the user message before and after, and waits for a page that must be fetched", async () => {
    const scene = talk(31);
    const log = testLog(scene.transcript);
    await log.rows();
    const tops: (string | undefined)[] = [];
    for (const direction of ["previous", "previous", "next", "next", "next", "next"] as const) {
      log.log.jumpToUser(direction);
      tops.push((await log.rows())[0]);
    }
    expect(tops.slice(0, 3)).toEqual(["21|user", "18|user", "21|user"]);
    expect(log.log.isFollowing).toBe(true);
  });

  test("a jump goes on when the pages between have been fetched", async () => {
    const whole = longTranscript(
      600,
      (position) => `text ${position}`,
      (position) => position === 3,
    );
    const log = testLog(withoutPages(whole, (page) => page >= 3));
    await log.rows();
    log.log.jumpToUser("previous");
    const waiting = await log.rows();
    expect(log.asked).toEqual([2]);
    for (const from of [2, 1, 0]) {
      expect(await log.rows()).toEqual(waiting);
      log.show(withoutPages(whole, (page) => page >= from));
    }
    expect((await log.rows())[0]).toBe("3|user");
    expect(log.asked).toEqual([2, 1, 0]);
  });

  test("the wheel scrolls three rows a notch", async () => {
    const log = testLog(longTranscript(50, (position) => `text ${position}`));
    const end = await log.rows();
    log.screen.terminal.wheel("up", 3, 3);
    expect((await log.rows()).slice(3)).toEqual(end.slice(0, -3));
    log.screen.terminal.wheel("down", 3, 3);
    expect(await log.rows()).toEqual(end);
    expect(log.log.isFollowing).toBe(true);
  });
});

describe("selecting and opening", () => {
  test("marks one message, brings it into view and moves from one to the next", async () => {
    const log = testLog(longTranscript(50, (position) => `text ${position}`));
    await log.rows();
    log.log.select("previous");
    expect((await log.rows()).at(-2)).toBe("49|>user");
    for (let step = 0; step < 15; step += 1) log.log.select("previous");
    const rows = await log.rows();
    expect(rows[0]).toBe("34|>user");
    expect(log.log.selected).toMatchObject({ kind: "user", text: "text 34" });
    for (let step = 0; step < 11; step += 1) log.log.select("next");
    expect((await log.rows()).slice(-2)).toEqual(["45|>user", "45|text 45"]);
    log.log.clearSelection();
    expect((await log.rows()).join("\n")).not.toContain(">");
    expect(log.log.selected).toBeUndefined();
  });

  test("a click opens what stands there and its row stays where it is; a click beside it does nothing", async () => {
    const log = testLog(longTranscript(50, (position) => `text [fold] ${position}`));
    const before = await log.rows();
    expect(before[11]).toBe("45|text [fold] 45");
    log.screen.terminal.click(5, 11);
    const opened = await log.rows();
    expect(opened.slice(0, 18)).toEqual([
      ...before.slice(0, 12),
      "45|fold 1",
      "45|fold 2",
      "45|fold 3",
      "45|fold 4",
      "45|fold 5",
      "46|user",
    ]);
    expect(log.log.isFollowing).toBe(false);
    // On another word: a double click on the same one selects it.
    log.screen.terminal.click(10, 11);
    expect(await log.rows()).toEqual(before);
    expect(log.log.isFollowing).toBe(true);
    log.screen.terminal.click(5, 10);
    expect(await log.rows()).toEqual(before);
  });

  test("the selected message is opened and closed by key; what was opened stays so out of view", async () => {
    const log = testLog(longTranscript(2_000, (position) => `text [fold] ${position}`));
    await log.rows();
    log.log.select("previous");
    log.log.select("previous");
    await log.rows();
    log.log.toggleSelected();
    expect((await log.rows()).filter((row) => row.includes("fold 1"))).toEqual(["1998|fold 1"]);
    for (let page = 0; page < 60; page += 1) {
      log.log.pageUp();
      await log.screen.settle();
    }
    const { made } = log.deps;
    log.log.toEnd();
    await log.rows();
    expect([...log.deps.opened]).toEqual([1998]);
    expect(log.deps.made - made).toBeGreaterThan(0);
  });
});
