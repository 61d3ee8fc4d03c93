import { expect, test } from "vitest";
import { ended, said, started } from "../../../../test/generate/drafts.ts";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { openApp } from "../../../../test/tui/open-app.ts";

const answer = { type: "text_done", turnId: "t1", member: "claude", segmentId: "s", text: "the answer" } as const;
const TALK = sessionLog([said("m1", ["claude"]), started("t1", "claude"), answer, ended("t1", "claude")]);

/** What stands in each row, from the top. */
async function rowsAt(columns: number, rows: number, draft = ""): Promise<string[]> {
  const shown = await openApp({ columns, rows, events: TALK });
  shown.type(draft);
  await shown.settle();
  const screen = shown.screen();
  await shown.close();
  return screen.map((row) => {
    if (/^─+$/.test(row)) return "line";
    if (row.startsWith("›") && !row.startsWith("› you")) return "draft";
    if (row.includes("Enter send")) return "hints";
    return row.includes("here") ? "status" : "talk";
  });
}

test("with few rows the talk keeps two of them: the status goes first, then the hints, and never the draft", async () => {
  const box = ["line", "draft", "line"];
  expect(await rowsAt(40, 5)).toEqual(["talk", "talk", ...box]);
  expect(await rowsAt(20, 5)).toEqual(["talk", "talk", ...box]);
  expect(await rowsAt(40, 6)).toEqual(["talk", "talk", "hints", ...box]);
  expect(await rowsAt(40, 7)).toEqual(["talk", "talk", "hints", ...box, "status"]);
  expect(await rowsAt(40, 8)).toEqual(["talk", "talk", "talk", "hints", ...box, "status"]);
  expect(await rowsAt(40, 4)).toEqual(["talk", ...box]);
  const long = await rowsAt(20, 7, "a draft that takes three rows of a box");
  expect([long.slice(0, 4), long.includes("hints"), long.includes("status")]).toEqual([
    ["talk", "talk", "line", "draft"],
    false,
    false,
  ]);
});
