import { expect, onTestFinished, test } from "vitest";
import { KEY, showOverlay } from "../../../test/tui/shown-overlay.ts";
import { createDiffOverlay } from "./diff-overlay.ts";

const DIFF = ["@@ -1,3 +1,3 @@", " one", "-two", "+zwei", " three", "@@ -9,1 +9,2 @@", " nine", "+ten"].join("\n");
const WORKER = { path: "src/worker.ts", status: "modified" as const, added: 2, removed: 1, diff: DIFF };
const SETS = [
  { of: "ada", when: "turn 1", files: [{ path: "LICENSE", status: "added" as const, added: 9, removed: 0 }] },
  { of: "bob", when: "turn 3", files: [WORKER, { path: "src/lease.ts", status: "deleted" as const }] },
];

function open(columns = 100) {
  const log: unknown[] = [];
  const shown = showOverlay(
    (surface) =>
      createDiffOverlay(surface, {
        sets: SETS,
        openFile: (...at) => log.push(at),
        onClose: () => log.push("closed"),
      }),
    {
      columns,
      rows: 16,
    },
  );
  onTestFinished(() => shown.close());
  return { ...shown, log };
}

test("files stand beside the diff of the chosen one; on a narrow screen the diff alone", async () => {
  expect(await open().text()).toMatchInlineSnapshot(`
    " Changes of bob  turn 3 · 2 files +2 −1                                              [ ] other turn
    ────────────────────────────────────────────────────────────────────────────────────────────────────
     src                      │ src/worker.ts  +2 −1                                      change 1 of 2
     ❯ worker.ts        +2 −1 │
       lease.ts         +0 −0 │   1   one
                              │   2 − two
                              │   2 + zwei
                              │   3   three
                              │    …
                              │   9   nine
                              │  10 + ten
                              │
                              │
                              │
    ────────────────────────────────────────────────────────────────────────────────────────────────────
     ↑ ↓ line · n p change · J K file · [ ] turn · s side by side · o open in $EDITOR · Esc back"
  `);
  expect(await open(60).text()).toMatchInlineSnapshot(`
    " Changes of bob  turn 3 · 2 files +2 −1      [ ] other turn
    ────────────────────────────────────────────────────────────
     src/worker.ts  +2 −1                         change 1 of 2

       1   one
       2 − two
       2 + zwei
       3   three
        …
       9   nine
      10 + ten



    ────────────────────────────────────────────────────────────
     ↑ ↓ line · n p change · J K file · [ ] turn · Esc back"
  `);
});

test("n goes to the next change and file, K back, [ to the turn before, Escape leaves", async () => {
  const page = open();
  expect(await page.text()).toContain("change 1 of 2");
  page.press("n", "n");
  page.press("n");
  expect(await page.text()).toMatch(/❯ lease\.ts[^]*deleted; its lines were not reported\./);
  page.press("K");
  expect(await page.text()).toMatch(/❯ worker\.ts/);
  page.press("[");
  expect(await page.text()).toMatch(/Changes of ada {2}turn 1 · 1 file \+9 −0/);
  page.press("]", KEY.escape);
  expect(page.log).toEqual(["closed"]);
});

test("s shows before and after side by side, and says where the window is too narrow for it", async () => {
  const wide = open(120);
  wide.press("s");
  expect(await wide.text()).toMatchInlineSnapshot(`
    " Changes of bob  turn 3 · 2 files +2 −1                                                                  [ ] other turn
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     src                           │ src/worker.ts  +2 −1                                                     change 1 of 2
     ❯ worker.ts             +2 −1 │
       lease.ts              +0 −0 │   1   one                                 │    1   one
                                   │   2 − two                                 │    2 + zwei
                                   │   3   three                               │    3   three
                                   │    …
                                   │   9   nine                                │    9   nine
                                   │                                           │   10 + ten
                                   │
                                   │
                                   │
                                   │
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     ↑ ↓ line · n p change · J K file · [ ] turn · s unified · o open in $EDITOR · Esc back"
  `);
  wide.press("s");
  expect(await wide.text()).toContain("2 − two");
  const narrow = open(119);
  narrow.press("s");
  expect(await narrow.text()).toContain("Side by side needs 120 columns; this window has 119.");
});

test("o opens the editor at the change in view; a deleted file is not opened", async () => {
  const shown = open(120);
  await shown.text();
  shown.press("o", "n");
  await shown.text();
  shown.press("n", "o", "J", "o");
  expect(shown.log).toEqual([
    ["src/worker.ts", 2],
    ["src/worker.ts", 10],
  ]);
  expect(await shown.text()).toContain("src/lease.ts was deleted.");
});
