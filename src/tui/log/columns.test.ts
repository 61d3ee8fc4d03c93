import { expect, onTestFinished, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { openTestScreen, type TestScreen } from "../../../test/tui/in-process-terminal.ts";
import { LogScene } from "../../../test/tui/log-scene.ts";
import { expectScreen } from "../../../test/tui/screen-snapshot.ts";
import { THEME, VIEW } from "../../../test/tui/open-log.ts";
import { columnsPerRow } from "../panels/columns-panel.ts";
import { createLogView } from "./create-log-view.ts";
import { arrangementAt } from "./log-content.ts";
import { selectWithoutBars } from "./selection.ts";

const MEMBERS = ["ann", "bob", "cleo"];

/** A question to everyone, and the answers that have begun. */
function begun(members: readonly string[] = MEMBERS): LogScene {
  const scene = new LogScene(members);
  scene.add(said("m1", [...members], { toAll: true, text: "Why?" }));
  for (const member of members) scene.add(started(`t-${member}`, member, { rootMessageId: "m1", round: 1 }));
  return scene;
}

function say(scene: LogScene, member: string, text: string): void {
  scene.add({ type: "text_delta", turnId: `t-${member}`, member, segmentId: `s-${member}`, text });
}

function finish(scene: LogScene, members: readonly string[] = MEMBERS): void {
  for (const member of members) scene.add(ended(`t-${member}`, member));
}

const lines = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name} ${at}`).join("\n\n");

function open(scene: LogScene, columns = 150, rows = 30) {
  let screen: TestScreen | undefined;
  let asked = 0;
  const log = createLogView({
    theme: THEME,
    settings: VIEW,
    now: () => 1_700_000_000_000,
    requestRender() {
      asked += 1;
      screen?.tui.requestRender();
    },
    loadPage: () => {},
    rowsMax: () => screen?.terminal.rows ?? 0,
  });
  log.show(scene.transcript);
  const opened = openTestScreen(log.component, columns, rows);
  screen = opened;
  selectWithoutBars(
    opened.tui,
    () => THEME,
    (row, column) => log.columnAt(row, column),
  );
  onTestFinished(() => opened.close());
  const text = async () => (await opened.rows()).join("\n");
  return { log, screen: opened, rows: () => opened.rows(), text, asked: () => asked };
}

test.each([
  [40, 12],
  [80, 24],
  [120, 40],
  [160, 50],
  [220, 60],
])("three members at work look as kept at %i × %i", async (columns, rows) => {
  const scene = begun();
  const call = { turnId: "t-bob", member: "bob", toolCallId: "c1" };
  say(scene, "ann", ANSWER);
  scene.add({ type: "tool_call_start", ...call, name: "Bash", kind: "execute", args: { command: "npm test" } });
  scene.add({ type: "tool_output_delta", ...call, text: "one\ntwo\nthree\nfour" });
  scene.add({
    type: "thinking_delta",
    turnId: "t-cleo",
    member: "cleo",
    segmentId: "k",
    text: "Two clocks are involved.",
  });
  const { rows: shown } = open(scene, columns, rows);
  expectScreen(await shown(), `members-at-work-${columns}x${rows}`);
});

const ANSWER = [
  "**The worker gives its lease back while the handler is still running.**",
  "On SIGTERM `stop()` releases the lease first (src/worker.ts:88) and waits for the handler afterwards.",
  "1. `stop()` sets `draining`.\n2. The new process polls and claims the job.",
  "```ts\nasync stop(): Promise<void> {\n  await this.running.settled(GRACE);\n}\n```",
  "| order | double runs |\n|---|--:|\n| release, then drain | 7 of 10 |\n| drain, then release | 0 of 10 |",
].join("\n\n");

test("columns come by themselves from 140 columns on, and from 92 when asked for", () => {
  const at = (chosen: "auto" | "columns" | "stack" | "focus") =>
    [91, 92, 139, 140].map((width) => arrangementAt(chosen, width));
  expect(at("auto")).toEqual(["stack", "stack", "stack", "columns"]);
  expect(at("columns")).toEqual(["stack", "columns", "columns", "columns"]);
  expect(at("stack")).toEqual(["stack", "stack", "stack", "stack"]);
  expect(at("focus")).toEqual(["focus", "focus", "focus", "focus"]);
});

test("as many columns as fit stand beside each other, more in balanced rows", () => {
  expect([1, 2, 3, 4, 5, 6].map((count) => columnsPerRow(160, count))).toEqual([1, 2, 3, 2, 3, 3]);
  expect([3, 4, 8].map((count) => columnsPerRow(220, count))).toEqual([3, 4, 4]);
  expect(columnsPerRow(100, 2)).toBe(2);
});

test("members stream side by side, each following its own end, and the question stays above them", async () => {
  const scene = begun();
  say(scene, "ann", lines("ann", 60));
  say(scene, "bob", "Short.");
  const { rows } = open(scene);
  const shown = await rows();
  expect(shown[0]).toMatch(/^ ❯ Why\? +to everyone$/);
  expect(shown[2]).toMatch(/^ ▎ ann .*▎ bob .*▎ cleo /);
  expect(shown[3]).toMatch(/▎ ↑ \d+ rows above/);
  expect(shown.at(-1)).toMatch(/^ ▎ ann 59 +▎ +▎$/);
  expect(shown.filter((row) => row.includes("Short."))).toHaveLength(1);
});

test("when all are done their bars end with the text, and the view stands at the first answer", async () => {
  const scene = begun();
  for (const member of MEMBERS) say(scene, member, lines(member, member === "bob" ? 2 : 40));
  const { log, rows } = open(scene);
  await rows();
  finish(scene);
  log.show(scene.transcript);
  const shown = await rows();
  expect(shown[0]).toContain("❯ Why?");
  expect(shown[4]).toMatch(/▎ ann 0 +▎ bob 0 +▎ cleo 0/);
  expect(shown.at(-1)).toMatch(/^ ▎ ann \d+ +▎ cleo \d+$|^ ▎ +▎$/);
  expect(log.isFollowing).toBe(false);
  log.toEnd();
  expect((await rows()).join("\n")).toMatch(/ann 39 .*cleo 39/);
});

test("a single answer that was read as it came stays at its end", async () => {
  const scene = begun(["ann"]);
  say(scene, "ann", lines("ann", 60));
  const { log, rows } = open(scene, 80);
  await rows();
  finish(scene, ["ann"]);
  log.show(scene.transcript);
  expect((await rows()).join("\n")).toContain("ann 59");
  expect(log.isFollowing).toBe(true);
});

test("pages move all columns in step, rows only the focused one; what comes does not move it", async () => {
  const scene = begun(["ann", "bob"]);
  for (const member of ["ann", "bob"]) say(scene, member, lines(member, 60));
  const { log, rows, text } = open(scene);
  const end = await rows();
  log.pageUp();
  const up = await rows();
  expect(up.join("\n")).not.toMatch(/ann 59|bob 59/);
  say(scene, "ann", "\n\nann more");
  log.show(scene.transcript);
  expect((await rows()).slice(4)).toEqual(up.slice(4));
  log.pageDown();
  log.pageDown();
  expect(await text()).toContain("ann more");
  log.moveFocus("next");
  expect(log.focused?.member).toBe("ann");
  log.scrollFocused(-4);
  const alone = (await rows()).at(-1);
  expect(alone).not.toContain("ann more");
  expect(alone).toContain("bob 59");
  log.clearFocus();
  log.toEnd();
  expect((await rows()).at(-1)).toMatch(/ann more +▎ bob 59/);
  expect(end.at(-1)).toMatch(/ann 59 +▎ bob 59/);
});

test("the focused column can take the whole width and give it back", async () => {
  const scene = begun();
  for (const member of MEMBERS) say(scene, member, `${member} answers.`);
  const { log, text } = open(scene);
  const before = await text();
  log.moveFocus("next");
  log.moveFocus("next");
  await text();
  log.widenFocused();
  const wide = await text();
  expect(wide).toMatch(/▌ bob .*\n/);
  expect(wide).toMatch(/▎ ann .*ann answers\./);
  log.widenFocused();
  log.clearFocus();
  expect(await text()).toBe(before);
});

test("below each other the focused member can take the room of the others, unless it is alone", async () => {
  const scene = begun();
  for (const member of MEMBERS) say(scene, member, lines(member, 60));
  const { log, rows, text } = open(scene, 100);
  const before = await text();
  expect(before).not.toContain("bob 50");
  expect(log.isFocusedWide).toBeUndefined();
  log.moveFocus("next", { isStep: false });
  log.moveFocus("next", { isStep: false });
  expect([log.focused?.member, log.isFocusedWide]).toEqual(["bob", false]);
  log.widenFocused();
  const wide = await text();
  expect(wide).toMatch(/▌ bob 50\n/);
  expect(wide).toMatch(/▎ ann .*ann 59.*\n.*▎ cleo .*cleo 59/);
  expect(log.isFocusedWide).toBe(true);
  log.widenFocused();
  log.clearFocus();
  expect(await text()).toBe(before);
  finish(scene);
  log.show(scene.transcript);
  await rows();
  log.moveFocus("next", { isStep: false });
  await rows();
  log.moveFocus("next", { isStep: false });
  await rows();
  for (let press = 0; press < 2; press += 1) {
    log.widenFocused();
    expect(await text()).toMatch(/▌ bob .*✓.*\n.*\n ▌ bob 0\n/);
  }
  log.widenFocused();
  await rows();
  log.clearFocus();
  expect(await text()).toMatch(/▎ bob .*✓.*\n.*\n ▎ bob 0\n/);
  const alone = begun(["ann"]);
  say(alone, "ann", "Alone.");
  const other = open(alone, 150);
  await other.rows();
  other.log.moveFocus("next", { isStep: false });
  expect(other.log.isFocusedWide).toBeUndefined();
});

test("widening a member below each other changes nothing but those beside it", async () => {
  const scene = begun();
  for (const member of MEMBERS) say(scene, member, `${member} answers.`);
  finish(scene);
  scene.add(said("m2", MEMBERS, { toAll: true, text: "And now?" }));
  for (const member of MEMBERS) scene.add(started(`u-${member}`, member, { rootMessageId: "m2", round: 1 }));
  const { log, rows, text } = open(scene, 100, 60);
  const before = await rows();
  log.moveFocus("next");
  log.widenFocused();
  expect(await text()).toMatch(/▌ ann .*starting[^]*▎ bob {6}⠋ starting .*\n ▎ cleo {5}⠋ starting/);
  log.toStart();
  const earlier = before.findIndex((row) => row.includes("And now?"));
  expect((await rows()).slice(0, earlier)).toEqual(before.slice(0, earlier));
  expect(log.view).toEqual({ chosen: "auto", shown: "stack" });
});

test("a member that grows out of view comes into view with the focus", async () => {
  const scene = begun(["ann", "bob"]);
  say(scene, "ann", lines("ann", 60));
  finish(scene, ["ann"]);
  const { log, rows, text } = open(scene, 100);
  await rows();
  log.toStart();
  expect(await text()).not.toContain("bob");
  for (const member of ["ann", "bob"]) {
    log.moveFocus("next");
    expect(await text()).toContain(`▌ ${member}`);
    expect(log.focused?.member).toBe(member);
  }
});

test("another frame is asked for once the focused turn has come into view, so that it is named below the log", async () => {
  const scene = begun();
  for (const member of MEMBERS) say(scene, member, lines(member, 60));
  finish(scene);
  const { log, rows, asked } = open(scene, 100);
  await rows();
  log.toStart();
  for (let draws = 0; draws < 3; draws += 1) await rows();
  for (const member of MEMBERS) {
    log.moveFocus("next");
    const before = asked();
    await rows();
    expect([log.focused?.member, asked() > before]).toEqual([member, true]);
  }
});

test("another width, and another member, move every bar", async () => {
  const scene = begun(["ann", "bob"]);
  const { log, screen, rows } = open(scene, 150);
  await rows();
  screen.terminal.resize(200, 30);
  expect((await rows()).slice(2, -1).map((row) => row.lastIndexOf("▎"))).toEqual(Array.from({ length: 27 }, () => 101));
  scene.add(started("t-cleo", "cleo", { rootMessageId: "m1", round: 1 }));
  log.show(scene.transcript);
  expect(new Set((await rows()).slice(2, -1).map((row) => row.lastIndexOf("▎"))).size).toBe(1);
});

test("focus shows one member in full and a row for each other one", async () => {
  const scene = begun();
  for (const member of MEMBERS) say(scene, member, `${member} answers.`);
  const { log, rows, text } = open(scene, 100);
  await rows();
  log.setView("focus");
  const shown = await rows();
  expect(shown.slice(-3)).toEqual([
    "─".repeat(100),
    expect.stringMatching(/^ ▎ bob {6}⠋ writing {3}bob answers\. +0:00$/),
    expect.stringMatching(/^ ▎ cleo {5}⠋ writing {3}cleo answers\. +0:00$/),
  ]);
  await text();
  log.moveFocus("next");
  log.moveFocus("next");
  expect(await text()).toMatch(/▌ bob/);
  log.setView("stack");
  expect((await text()).match(/⠋ writing · /g)).toHaveLength(3);
});

test("a step goes from the member in full to the next one, which stays in full without the focus", async () => {
  const scene = begun();
  for (const member of MEMBERS) say(scene, member, `${member} answers.`);
  const { log, text } = open(scene, 100);
  log.setView("focus");
  await text();
  log.moveFocus("next", { isStep: true });
  expect(await text()).toMatch(/▌ bob .*\n/);
  log.clearFocus();
  expect(await text()).toMatch(/▎ bob {2}\S.*\n[^]*▎ ann {6}⠋ writing[^]*▎ cleo {5}⠋ writing/);
  log.moveFocus("previous", { isStep: true });
  expect(await text()).toMatch(/▌ ann /);
});

test("turns that follow one another stand below each other at full width", async () => {
  const scene = new LogScene();
  scene.add(said("m1", MEMBERS, { toAll: true, text: "Why?" }));
  for (const member of MEMBERS) {
    scene.add(started(`t-${member}`, member, { rootMessageId: "m1", round: 1 }));
    say(scene, member, `${member} answers.`);
    finish(scene, [member]);
  }
  const { rows } = open(scene);
  expect((await rows()).filter((row) => row.includes("answers."))).toEqual(
    MEMBERS.map((member) => ` ▎ ${member} answers.`),
  );
});

test("a round after the first is one line once the discussion is over", async () => {
  const scene = begun(["ann", "bob"]);
  finish(scene, ["ann", "bob"]);
  for (const member of ["ann", "bob"]) {
    scene.add(started(`u-${member}`, member, { rootMessageId: "m1", round: 2, cause: "round" }));
    scene.add({
      type: "text_delta",
      turnId: `u-${member}`,
      member,
      segmentId: `u-${member}`,
      text: `${member} again.`,
    });
    scene.add(ended(`u-${member}`, member));
  }
  scene.add({ type: "council_settled", rootMessageId: "m1", round: 2, why: "cap" });
  const { log, screen, rows, text } = open(scene);
  const at = (await rows()).indexOf(" ▸ Round 2: ann and bob answered");
  expect(at).toBeGreaterThan(0);
  expect(await text()).not.toContain("again.");
  screen.terminal.click(4, at);
  expect(await text()).toContain("bob again.");
  expect(log.view).toEqual({ chosen: "auto", shown: "columns" });
});

test("a selection stays in the column where it began and leaves the bars out", async () => {
  const scene = begun(["ann", "bob"]);
  say(scene, "ann", "one\n\ntwo");
  say(scene, "bob", "three\n\nfour");
  finish(scene, ["ann", "bob"]);
  const { screen, rows } = open(scene);
  const shown = await rows();
  const top = shown.findIndex((row) => row.includes("three"));
  const column = shown[top]?.indexOf("three") ?? 0;
  screen.terminal.type(`\u001b[<0;${column + 1};${top + 1}M`);
  screen.terminal.type(`\u001b[<32;${column + 10};${top + 3}M`);
  screen.terminal.type(`\u001b[<0;${column + 10};${top + 3}m`);
  await screen.settle();
  // oxlint-disable-next-line no-control-regex -- the sequence that sets the clipboard.
  const copied = [...screen.terminal.takeWritten().matchAll(/\u001b\]52;c;([A-Za-z0-9+/=]*)\u0007/g)].at(-1)?.[1] ?? "";
  expect(Buffer.from(copied, "base64").toString()).toBe("three\n\nfour");
});

test("answers below the view are counted, and one key goes from answer to answer", async () => {
  const scene = new LogScene();
  scene.user("one");
  scene.answer(lines("first", 30));
  const { log, rows } = open(scene, 80, 20);
  await rows();
  log.toStart();
  await rows();
  for (const member of ["bob", "cleo"]) scene.answer(lines(member, 12), member);
  log.show(scene.transcript);
  await rows();
  expect(log.unseenAnswers).toBe(2);
  log.jumpToAnswer("next");
  log.jumpToAnswer("next");
  expect((await rows())[0]).toMatch(/ann|bob/);
  log.toEnd();
  await rows();
  expect(log.unseenAnswers).toBe(0);
});
