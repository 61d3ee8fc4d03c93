import { describe, expect, test } from "vitest";
import { started } from "../../../test/generate/drafts.ts";
import { lines, LogScene, talk } from "../../../test/tui/log-scene.ts";
import { testLog } from "../../../test/tui/open-log.ts";
import { messageAt } from "../../transcript/index.ts";

describe("following", () => {
  test("the end is shown at first, and stays in view as messages come and grow", async () => {
    const scene = talk(30);
    const log = testLog(scene.transcript);
    expect((await log.rows()).at(-1)).toBe("29|with a second row");
    const turnId = scene.start();
    scene.delta(turnId, "newest");
    log.show(scene.transcript);
    expect((await log.rows()).at(-1)).toBe("30|newest");
    scene.delta(turnId, "\nand more");
    log.show(scene.transcript);
    expect((await log.rows()).at(-1)).toBe("30|and more");
    expect(log.log.isFollowing).toBe(true);
    expect(log.log.unseenCount).toBe(0);
  });

  test("scrolling down to the end follows again, scrolling near it does not", async () => {
    const scene = talk(30);
    const log = testLog(scene.transcript);
    await log.rows();
    log.log.scrollBy(-5);
    await log.rows();
    expect(log.log.isFollowing).toBe(false);
    log.log.scrollBy(4);
    await log.rows();
    expect(log.log.isFollowing).toBe(false);
    log.log.scrollBy(1);
    await log.rows();
    expect(log.log.isFollowing).toBe(true);
  });

  test("members that stream at once are all in view, and open up when they end", async () => {
    const scene = talk(9);
    const turns = ["ann", "bob", "cleo"].map((member) => scene.start(member));
    for (const turnId of turns) scene.delta(turnId, lines(40));
    const log = testLog(scene.transcript, { rows: 25 });
    expect(await log.positions()).toEqual([8, 9, 10, 11]);
    for (const turnId of turns) scene.end(turnId);
    log.show(scene.transcript);
    expect(await log.positions()).toEqual([11]);
  });
});

describe("scrolled up", () => {
  test("nothing in view moves while messages come, grow, end and are retried outside of it", async () => {
    const scene = talk(30);
    const turnId = scene.start();
    const log = testLog(scene.transcript);
    await log.rows();
    log.log.pageUp();
    log.log.pageUp();
    const before = await log.rows();
    for (let step = 0; step < 20; step += 1) {
      scene.delta(turnId, `${lines(3)}\n`);
      if (step % 4 === 0) scene.answer("another", "bob");
      log.show(scene.transcript);
      expect(await log.rows()).toEqual(before);
    }
    scene.end(turnId);
    log.show(scene.transcript);
    expect(await log.rows()).toEqual(before);
    scene.add(started("again", "ann", { cause: "retry", replaces: turnId }));
    log.show(scene.transcript);
    expect(messageAt(scene.transcript, 30)).toMatchObject({ turnId: "again" });
    expect(await log.rows()).toEqual(before);
  });

  test("a message above the middle that grows pushes what is above it, one below what is below", async () => {
    const scene = new LogScene();
    scene.user(lines(12, "above"));
    const upper = scene.start("ann");
    scene.delta(upper, "upper");
    scene.user(lines(12, "middle"));
    const lower = scene.start("bob");
    scene.delta(lower, "lower");
    scene.user(lines(12, "below"));
    const log = testLog(scene.transcript, { rows: 25 });
    await log.rows();
    log.log.scrollBy(-9);
    const before = await log.rows();
    const middleAt = before.indexOf("2|user");
    expect(await log.positions()).toEqual([0, 1, 2, 3, 4]);
    scene.delta(upper, "\nmore");
    log.show(scene.transcript);
    const pushedUp = await log.rows();
    expect(pushedUp.slice(middleAt)).toEqual(before.slice(middleAt));
    expect(pushedUp.slice(0, middleAt)).toEqual([...before.slice(1, middleAt), "1|more"]);
    scene.delta(lower, "\nmore");
    log.show(scene.transcript);
    const pushedDown = await log.rows();
    const lowerAt = pushedDown.indexOf("3|lower") + 1;
    expect(pushedDown.slice(0, lowerAt)).toEqual(pushedUp.slice(0, lowerAt));
    expect(pushedDown.slice(lowerAt)).toEqual(["3|more", ...pushedUp.slice(lowerAt, -1)]);
  });

  test("a message in the middle that grows leaves what is above it in place", async () => {
    const scene = new LogScene();
    scene.user(lines(30, "above"));
    const turnId = scene.start();
    scene.delta(turnId, lines(4));
    scene.user(lines(30, "below"));
    const log = testLog(scene.transcript);
    await log.rows();
    log.log.goTo({ key: 0, offset: 24 });
    const before = await log.rows();
    expect(before[10]?.startsWith("1|")).toBe(true);
    scene.delta(turnId, "\nmore\nand more");
    log.show(scene.transcript);
    const after = await log.rows();
    expect(after.slice(0, 12)).toEqual(before.slice(0, 12));
    expect(after.slice(12, 14)).toEqual(["1|more", "1|and more"]);
  });

  test("what is below becoming shorter leaves blank rows at the end instead of moving the view", async () => {
    const scene = talk(12);
    const turnId = scene.start("ann");
    scene.delta(turnId, lines(10));
    const log = testLog(scene.transcript);
    await log.rows();
    log.log.scrollBy(-2);
    const before = await log.rows();
    scene.add({ type: "text_retracted", turnId, member: "ann", segmentId: `${turnId}-text` });
    log.show(scene.transcript);
    const turnAt = before.indexOf("12|ann");
    const after = await log.rows();
    expect(after.slice(0, turnAt + 1)).toEqual(before.slice(0, turnAt + 1));
    expect(new Set(after.slice(turnAt + 2))).toEqual(new Set([""]));
    expect(log.log.isFollowing).toBe(false);
    log.log.scrollBy(1);
    expect((await log.rows()).at(-1)).toMatch(/^12\|/);
    expect(log.log.isFollowing).toBe(true);
  });

  test("counts the messages that came or grew below, until they have been in view", async () => {
    const scene = talk(30);
    const turnId = scene.start();
    scene.delta(turnId, "begun");
    const log = testLog(scene.transcript);
    await log.rows();
    log.log.toStart();
    await log.rows();
    expect(log.log.unseenCount).toBe(0);
    scene.delta(turnId, " grown");
    scene.delta(turnId, " again");
    log.show(scene.transcript);
    await log.rows();
    expect(log.log.unseenCount).toBe(1);
    scene.user("one");
    scene.user("two");
    log.show(scene.transcript);
    await log.rows();
    expect(log.log.unseenCount).toBe(3);
    log.log.toEnd();
    expect(log.log.unseenCount).toBe(0);
    await log.rows();
    log.log.scrollBy(-1);
    await log.rows();
    expect(log.log.unseenCount).toBe(0);
    for (let made = 0; made < 20; made += 1) scene.user("below");
    log.show(scene.transcript);
    log.log.goTo({ key: 30, offset: 0 });
    await log.rows();
    const unseen = log.log.unseenCount;
    expect(unseen).toBeGreaterThan(0);
    scene.delta(turnId, " in view");
    log.show(scene.transcript);
    await log.rows();
    expect(log.log.unseenCount).toBe(unseen);
  });
});

describe("resizing", () => {
  test("the message in the middle stays in view through a storm of sizes", async () => {
    const scene = new LogScene();
    for (let made = 0; made < 60; made += 1) scene.user(`${made} `.repeat(60));
    const log = testLog(scene.transcript, { columns: 60, rows: 21 });
    await log.rows();
    log.log.goTo({ key: 30, offset: 0 });
    const middle = (rows: readonly string[]) => Number.parseInt(rows[Math.floor(rows.length / 2)] ?? "", 10);
    let anchored = middle(await log.rows());
    for (const [columns, rows] of [
      [80, 30],
      [20, 10],
      [20, 50],
      [120, 12],
      [41, 7],
      [60, 21],
    ] as const) {
      log.screen.terminal.resize(columns, rows);
      expect(await log.positions()).toContain(anchored);
      expect(log.log.isFollowing).toBe(false);
      anchored = middle(await log.rows());
    }
  });

  test("following, the end stays in view at every size, in the first drawing", async () => {
    const scene = talk(40);
    const log = testLog(scene.transcript);
    await log.rows();
    for (const [columns, rows] of [
      [80, 50],
      [20, 5],
      [30, 60],
    ] as const) {
      log.screen.terminal.resize(columns, rows);
      log.screen.tui.renderNow();
      const drawn = await log.screen.terminal.screen();
      expect(drawn.at(-2)?.startsWith("39|")).toBe(true);
      expect(drawn).toEqual(await log.screen.rows());
    }
  });

  test("an input that grows and shrinks moves no row of a log that is scrolled up", async () => {
    const log = testLog(talk(40).transcript);
    await log.rows();
    log.log.pageUp();
    const before = await log.rows();
    log.setInputRows(6);
    expect(await log.rows()).toEqual(before.slice(0, 15));
    log.setInputRows(1);
    expect(await log.rows()).toEqual(before);
  });
});
