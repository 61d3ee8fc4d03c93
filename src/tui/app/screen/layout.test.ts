import { expect, test } from "vitest";
import { ended, said, started } from "../../../../test/generate/drafts.ts";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { openApp } from "../../../../test/tui/open-app.ts";

const answer = { type: "text_done", turnId: "t1", member: "claude", segmentId: "s", text: "the answer" } as const;
const TALK = sessionLog([said("m1", ["claude"]), started("t1", "claude"), answer, ended("t1", "claude")]);

/** What stands in each row from the first row of the box, and what in the first row. */
async function rowsAt(columns: number, rows: number, draft = ""): Promise<{ first: string; box: string[] }> {
  const shown = await openApp({ columns, rows, events: TALK });
  shown.type(draft);
  await shown.settle();
  const screen = shown.screen();
  await shown.close();
  const kinds = screen.map((row) => {
    if (row.startsWith("─ to ")) return "live";
    if (/^─+$/.test(row)) return "rule";
    if (row.startsWith(" ❯")) return "draft";
    if (row.includes("Enter send")) return "hints";
    if (row.includes("A session")) return "title";
    if (row.includes("read-only") || row.includes("can edit")) return "status";
    return row.trim() === "" ? "blank" : "talk";
  });
  return { first: kinds[0] ?? "", box: kinds.slice(kinds.indexOf("live")) };
}

test("with few rows the lower rule goes first, then title and hints, then the status, and never the draft", async () => {
  expect(await rowsAt(80, 30)).toEqual({ first: "title", box: ["live", "draft", "rule", "status", "hints"] });
  expect(await rowsAt(80, 19)).toEqual({ first: "title", box: ["live", "draft", "status", "hints"] });
  expect((await rowsAt(40, 15)).box).toEqual(["live", "draft", "status"]);
  expect((await rowsAt(40, 5)).box).toEqual(["live", "draft", "status"]);
  expect((await rowsAt(40, 4)).box).toEqual(["live", "draft"]);
});
