import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { drawFooter, statusLine } from "./footer.ts";
import { LiveArea } from "./live-area.ts";
import { textWidth, wrapRows } from "./text-width.ts";

const plain = { dim: (text: string) => text, strong: (text: string) => text };

test("[U12] a row never takes more cells than there are, whatever script it is in", () => {
  expect(["abc", "日本", "e\u0301", "👩‍💻", "🇩🇪", "ｆ"].map(textWidth)).toEqual([3, 4, 1, 4, 4, 2]);
  expect(wrapRows("abcdef", 4)).toEqual(["abcd", "ef"]);
  expect(wrapRows("日本語", 4)).toEqual(["日本", "語"]);
  expect(wrapRows("a\n\nb\t", 4)).toEqual(["a", "", "b   ", " "]);
  expect(wrapRows("", 4)).toEqual([""]);
  expect(wrapRows("日本", 1)).toEqual(["日", "本"]);
});

test("[U13] the footer shows the rows around the cursor, and the cursor stays inside the window", () => {
  const tall = Array.from({ length: 20 }, (_, at) => `row ${at}`).join("\n");
  const end = drawFooter({ draft: { text: tall, at: tall.length }, status: "s" }, 20, plain);
  expect([end.rows.length, end.rows.at(-1), end.cursor]).toEqual([9, "  row 19", { row: 8, cell: 8 }]);
  const start = drawFooter({ draft: { text: tall, at: 0 }, status: "s" }, 20, plain);
  expect([start.rows.length, start.rows[1], start.cursor]).toEqual([9, "› row 0", { row: 1, cell: 2 }]);
  const full = drawFooter({ draft: { text: "x".repeat(18), at: 18 }, status: "s" }, 20, plain);
  expect([full.rows, full.cursor]).toEqual([["s", `› ${"x".repeat(18)}`], { row: 1, cell: 19 }]);
  expect(statusLine(undefined, { place: "at \u001b[2Jhome\n" })).toBe("Enter sends · /help · at home ");
});

test("[U14] finished lines are written once and never again; each drawing is one synchronised write", async () => {
  const writes: string[] = [];
  const area = new LiveArea({ columns: 10, rows: 5, write: (text) => void writes.push(text) }, () => ({
    rows: ["status", "› "],
    cursor: { row: 1, cell: 2 },
  }));
  area.append("first\nsec");
  area.note("a note");
  await nextTurn();
  area.append("ond\n");
  await nextTurn();
  area.close();
  area.append("too late\n");
  await nextTurn();
  expect(writes.length).toBe(3);
  const isFrame = (text: string) => text.startsWith("\u001b[?2026h") && text.endsWith("\u001b[?2026l");
  expect(writes.filter((one) => !isFrame(one))).toEqual([]);
  const all = writes.join("");
  expect(["first\n", "second\n", "a note\n", "too late"].map((line) => all.split(line).length - 1)).toEqual([
    1, 1, 1, 0,
  ]);
  // The first drawing left the cursor two rows below its top: the growing line and the status are above it.
  expect(writes[1]).toContain("\r\u001b[2A\u001b[J");
});
