import { expect, onTestFinished, test } from "vitest";
import { openTestScreen, type TestScreen } from "../../../test/tui/in-process-terminal.ts";
import { LogScene } from "../../../test/tui/log-scene.ts";
import { THEME, VIEW } from "../../../test/tui/open-log.ts";
import { said } from "../../../test/generate/drafts.ts";
import { createLogView } from "./create-log-view.ts";
import type { LogView } from "./log-view.ts";

function open(scene: LogScene, columns = 60, rows = 24): { log: LogView; screen: TestScreen } {
  let screen: TestScreen | undefined;
  const log = createLogView({
    theme: THEME,
    settings: VIEW,
    now: () => 1_700_000_000_000,
    requestRender: () => screen?.tui.requestRender(),
    loadPage: () => {},
    rowsMax: () => screen?.terminal.rows ?? rows,
  });
  log.show(scene.transcript);
  screen = openTestScreen(log.component, columns, rows);
  onTestFinished(() => screen?.close());
  return { log, screen };
}

function callTool(scene: LogScene, turnId: string, toolCallId: string): void {
  const result = Array.from({ length: 40 }, (_, row) => `${toolCallId} line ${row}`).join("\n");
  scene.add(
    { type: "tool_call_start", turnId, member: "ann", toolCallId, name: "read", args: { path: `${toolCallId}.ts` } },
    { type: "tool_result", turnId, member: "ann", toolCallId, ok: true, result, durationMs: 5 },
  );
}

test("three members streaming long answers are all in view, each with its newest text", async () => {
  const scene = new LogScene();
  scene.user("go");
  const turns = ["ann", "bob", "cleo"].map((member) => ({ member, turnId: scene.start(member) }));
  for (const { member, turnId } of turns) {
    scene.delta(turnId, Array.from({ length: 50 }, (_, row) => `${member} says ${row}`).join("\n\n"));
  }
  const { log, screen } = open(scene);
  const text = (await screen.rows()).join("\n");
  for (const { member } of turns) expect(text).toContain(`${member} says 49`);
  expect(log.isFollowing).toBe(true);
});

test("members that will speak stand after the last message, also those of a message that waits", async () => {
  const scene = new LogScene();
  scene.add(said("message", ["ann", "bob"]));
  scene.add({ type: "message_delivery", messageId: "message", member: "bob", state: "pending" });
  const { screen } = open(scene);
  const rows = await screen.rows();
  const asked = rows.findIndex((row) => row.includes("What now?"));
  expect(rows.findIndex((row) => row.includes("bob") && row.includes("held"))).toBeGreaterThan(asked);
});

test("the last row is that of the last message, also where blank rows go as the screen gets lower", async () => {
  const scene = new LogScene();
  for (let made = 0; made < 40; made += 1) scene.user(`question ${made}`);
  const { screen } = open(scene, 60, 40);
  for (const rows of [40, 20, 40]) {
    screen.terminal.resize(60, rows);
    expect((await screen.rows()).at(-1)).toContain("question 39");
  }
});

test("after a change of width columns are at once as high as in a view that begins with it", async () => {
  const scene = new LogScene();
  for (let made = 0; made < 3; made += 1) scene.user("word");
  for (const member of ["ann", "bob"]) scene.start(member);
  for (let made = 0; made < 4; made += 1) scene.user("word");
  const { screen } = open(scene, 150, 40);
  await screen.rows();
  screen.terminal.resize(200, 40);
  const fresh = open(scene, 200, 40);
  expect(await screen.rows()).toEqual(await fresh.screen.rows());
});

test("a click on a tool block opens it, the key opens all blocks of the selected message", async () => {
  const scene = new LogScene();
  scene.user("read");
  const turnId = scene.start("ann");
  for (const toolCallId of ["one", "two"]) callTool(scene, turnId, toolCallId);
  scene.end(turnId);
  const { log, screen } = open(scene, 60, 120);
  const counts = async (): Promise<number[]> => {
    const text = (await screen.rows()).join("\n");
    return ["one", "two"].map((tool) => text.split(`${tool} line`).length - 1);
  };
  const closed = await counts();
  const rowOf = async (text: string) => (await screen.rows()).findIndex((row) => row.includes(text));
  screen.terminal.click(4, await rowOf("used 2 tools"));
  const at = await rowOf("two.ts");
  screen.terminal.click(6, at);
  expect(await counts()).toEqual([closed[0], 40]);
  screen.terminal.click(30, at);
  expect(await counts()).toEqual(closed);
  screen.terminal.click(12, await rowOf("used 2 tools"));
  log.select("previous");
  await screen.settle();
  log.toggleSelected();
  expect(await counts()).toEqual([40, 40]);
  log.toggleSelected();
  expect(await counts()).toEqual(closed);
});

test("a match that Markdown drew and wrapped is marked in both of its rows", async () => {
  const scene = new LogScene();
  scene.user("find it");
  scene.answer(`${"word ".repeat(9)}**golden** needle and more`);
  const { log, screen } = open(scene, 54, 16);
  log.search("word golden NEEDLE and more");
  await screen.settle();
  expect(log.searchState).toMatchObject({ at: 1, count: 1 });
  const marked = (await screen.styledRows()).flatMap((row) => /\{b[^}]*g[^}]*\}([^{]+)/.exec(row)?.[1] ?? []);
  expect(marked.filter((text) => /\w/.test(text) && text !== "find it")).toEqual(["word golden", "needle and more"]);
});
