import { expect, onTestFinished, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { openTestScreen, type TestScreen } from "../../../test/tui/in-process-terminal.ts";
import { LogScene } from "../../../test/tui/log-scene.ts";
import { THEME, VIEW } from "../../../test/tui/open-log.ts";
import type { ViewSettings } from "../panels/panel.ts";
import { createLogView } from "./create-log-view.ts";
import type { LogView } from "./log-view.ts";

function open(
  scene: LogScene,
  settings: Partial<ViewSettings> = {},
): { log: LogView; rows: () => Promise<string[]>; screen: TestScreen } {
  let screen: TestScreen | undefined;
  const log = createLogView({
    theme: THEME,
    settings: { ...VIEW, ...settings },
    now: () => 1_700_000_000_000,
    requestRender: () => screen?.tui.requestRender(),
    loadPage: () => {},
    rowsMax: () => screen?.terminal.rows ?? 0,
  });
  log.show(scene.transcript);
  const opened = openTestScreen(log.component, 70, 30);
  screen = opened;
  onTestFinished(() => opened.close());
  // Without those who are still to speak.
  const rows = async () =>
    (await opened.rows())
      .filter((row) => !row.includes("◌"))
      .join("\n")
      .trimEnd()
      .split("\n");
  return { log, rows, screen: opened };
}

function begin(scene: LogScene, turnId: string, member: string, round = 2): void {
  scene.add(started(turnId, member, { cause: "round", round, rootMessageId: "m1" }));
}

function finish(scene: LogScene, turnId: string, member: string, text = "Nothing to add."): void {
  const usage = { inputTokens: 1000, outputTokens: 3 };
  scene.add({ type: "text_done", turnId, member, segmentId: `s-${turnId}`, text }, ended(turnId, member, { usage }));
}

/** A question, an answer, and the second round: ann and bob add nothing, cleo something. */
function discussion(): LogScene {
  const scene = new LogScene();
  scene.add(said("m1", ["ann", "bob", "cleo"], { toAll: true, text: "Is it safe?" }));
  begin(scene, "t1", "ann", 1);
  finish(scene, "t1", "ann", "It is.");
  begin(scene, "t2", "ann");
  finish(scene, "t2", "ann");
  begin(scene, "t3", "bob");
  finish(scene, "t3", "bob", "I agree with ann, nothing to add.");
  begin(scene, "t4", "cleo");
  finish(scene, "t4", "cleo", "Line 7 is not.");
  return scene;
}

const FOLDED = " ▸ ann and bob have nothing to add · round 2";

test("turns of a round that add nothing are one line, while one that runs is drawn as it runs", async () => {
  const scene = new LogScene();
  scene.add(said("m1", ["ann", "bob"], { toAll: true, text: "Is it safe?" }));
  begin(scene, "t2", "ann");
  finish(scene, "t2", "ann");
  begin(scene, "t3", "bob");
  scene.add({ type: "text_delta", turnId: "t3", member: "bob", segmentId: "s-t3", text: "Nothing to add." });
  const { log, rows } = open(scene);
  const running = await rows();
  expect(running.slice(2)).toEqual([
    " ▸ ann has nothing to add · round 2",
    "",
    expect.stringMatching(/bob .*round 2 .* writing/),
    " ▎",
    " ▎ Nothing to add.▍",
  ]);
  finish(scene, "t3", "bob");
  log.show(scene.transcript);
  expect((await rows()).slice(2)).toEqual([FOLDED]);
  // One that is asked again is no longer over.
  scene.add(started("t5", "ann", { cause: "retry", round: 2, rootMessageId: "m1", replaces: "t2" }));
  log.show(scene.transcript);
  const retried = await rows();
  expect(retried.slice(2)).toEqual([
    expect.stringMatching(/ann .*round 2 · attempt 2 .* starting/),
    " ▎",
    " ▎ ▸ earlier answer · 0:01",
    "",
    " ▸ bob has nothing to add · round 2",
  ]);
  expect(await open(scene).rows()).toEqual(retried);
});

test("the line opens to the turns and what they took, by click and by key, closes again, and opens with everything", async () => {
  const { log, rows, screen } = open(discussion());
  const closed = await rows();
  const at = closed.indexOf(FOLDED);
  expect(closed.slice(at, at + 3)).toEqual([FOLDED, "", expect.stringMatching(/cleo .*round 2/)]);
  const opened = [
    " ▾ ann and bob have nothing to add · round 2 · 0:02 · ↑2k ↓6",
    expect.stringMatching(/ann .*round 2/),
    " ▎",
    " ▎ Nothing to add.",
    "",
    expect.stringMatching(/bob .*round 2/),
    " ▎",
    " ▎ I agree with ann, nothing to add.",
    "",
    expect.stringMatching(/cleo .*round 2/),
  ];
  screen.terminal.click(4, at);
  expect((await rows()).slice(at, at + 10)).toEqual(opened);
  // Elsewhere in the row: twice in one place would mark a word.
  screen.terminal.click(30, at);
  expect(await rows()).toEqual(closed);
  log.select("previous");
  log.select("previous");
  await screen.settle();
  log.toggleSelected();
  expect((await rows()).slice(at, at + 10)).toEqual(opened);
  log.toggleSelected();
  log.clearSelection();
  expect(await rows()).toEqual(closed);
  log.setSettings({ ...VIEW, isExpanded: true });
  expect((await rows()).slice(at, at + 10)).toEqual(opened);
});

test("with times the line says what the turns took", async () => {
  const { rows } = open(discussion(), { hasTimes: true });
  expect(await rows()).toContain(`${FOLDED} · 0:02 · ↑2k ↓6`);
});

test("selecting steps over a turn that is drawn with another, and a place in it leads to the line", async () => {
  const scene = discussion();
  const { log, screen } = open(scene);
  await screen.settle();
  const seen: (string | undefined)[] = [];
  for (let step = 0; step < 4; step += 1) {
    log.select("previous");
    await screen.settle();
    seen.push(log.selected?.kind === "turn" ? log.selected.turnId : log.selected?.kind);
  }
  expect(seen).toEqual(["t4", "t2", "t1", "user"]);
  // What was selected while it ran is selected in the line.
  begin(scene, "t6", "ann", 3);
  finish(scene, "t6", "ann");
  begin(scene, "t7", "bob", 3);
  log.clearSelection();
  log.show(scene.transcript);
  log.toEnd();
  await screen.settle();
  log.select("previous");
  await screen.settle();
  expect(log.selected).toMatchObject({ turnId: "t7" });
  finish(scene, "t7", "bob");
  log.show(scene.transcript);
  await screen.settle();
  expect(log.selected).toMatchObject({ turnId: "t6" });
});

test("going to a turn that is drawn with another shows the line at the top", async () => {
  const scene = discussion();
  scene.user("and now?");
  scene.answer(Array.from({ length: 60 }, (_, row) => `row ${row}`).join("\n\n"));
  const { log, rows } = open(scene);
  await rows();
  log.goTo({ key: 3, offset: 0 });
  expect((await rows())[0]).toBe(FOLDED);
});

test("a quiet turn is drawn whole while it matches a search, and only then", async () => {
  const { log, rows, screen } = open(discussion());
  const closed = await rows();
  log.search("Line 7");
  expect(await rows()).toContain(FOLDED);
  log.search("agree with");
  const found = await rows();
  expect(log.searchState).toMatchObject({ at: 1, count: 1 });
  expect(found).not.toContain(FOLDED);
  expect(found).toContain(" ▎ I agree with ann, nothing to add.");
  const marked = (await screen.styledRows()).flatMap((row) => /\{b[^}]*g[^}]*\}([^{]+)/.exec(row)?.[1] ?? []);
  expect(marked).toContain("agree with");
  log.endSearch();
  expect(await rows()).toEqual(closed);
});
