/** Characters that are wider than a row, and rows that are narrower than a character. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Transcript } from "../../src/transcript/index.ts";
import { loadHighlighter } from "../../src/tui/markdown/highlight.ts";
import { createPanel } from "../../src/tui/panels/create-panel.ts";
import { said } from "../generate/drafts.ts";
import { contextOf, SETTINGS, shownMessages, sessionLog, transcriptOf } from "./draw-panels.ts";
import { hostileSession } from "./hostile-session.ts";
import { ctrl } from "./key-bytes.ts";
import { openApp } from "./open-app.ts";
import { rowFaults } from "./row-checks.ts";
import { openReadyTerminal } from "./test-terminal.ts";

/** Each is one character for whoever cuts text into characters, and a hundred columns wide. */
const WIDE = {
  "joined letters": `${"\u0915\u094d".repeat(100)}\u0915`,
  "marks with room of their own": `\u0915${"\u093e".repeat(100)}`,
  "Thai vowels": `\u0e01${"\u0e33".repeat(100)}`,
  "voiced signs": `\uff76${"\uff9e".repeat(100)}`,
  "joined pictures": `${"❤\ufe0f\u200d".repeat(60)}❤`,
};

beforeAll(loadHighlighter);

function rowsOf(transcript: Transcript, width: number): (readonly string[])[] {
  const context = contextOf(transcript, { settings: { ...SETTINGS, isExpanded: true } });
  return shownMessages(transcript).map((message) => createPanel(message, context).render(width));
}

describe.each(Object.entries(WIDE))("%s", (_name, wide) => {
  test("one character that is wider than a row is broken: all of it and what follows is seen", () => {
    const last = Array.from(wide).at(-1) ?? "";
    for (const width of [20, 41, 80]) {
      const everywhere = transcriptOf(hostileSession(`${wide} and more`));
      expect(rowsOf(everywhere, width).flatMap((rows) => rowFaults(rows, width))).toEqual([]);
      const [rows] = rowsOf(transcriptOf(sessionLog([said("m1", ["claude"], { text: `${wide} and more` })])), width);
      const text = rows?.join("") ?? "";
      expect([text.split(last).length, text.includes("more")]).toEqual([wide.split(last).length, true]);
    }
  });

  test("one character that is wider than the box stands there in rows, and is the draft as it came", async () => {
    for (const columns of [20, 60]) {
      const shown = await openApp({ columns });
      shown.peer.play(sessionLog([{ type: "ui_set_editor_text", member: "claude", text: `${wide} z` }]));
      await shown.settle();
      expect(shown.app.prompt.text).toBe(`${wide} z`);
      expect(shown.screen().some((row) => row.includes("z"))).toBe(true);
      await shown.close();
    }
  });
});

test("a window of any size keeps the program running, and the draft", async ({ onTestFinished: after }) => {
  const seen = await openReadyTerminal(after);
  const draft = "日本語 and 🧭";
  seen.type(draft);
  await seen.sees(`❯ ${draft}`);
  for (const [columns, rows] of [
    [1, 1],
    [3, 2],
    [5, 40],
    [300, 3],
    [19, 5],
  ] as const) {
    seen.resize(columns, rows);
    await seen.rests();
  }
  seen.resize(80, 24);
  await seen.sees(`❯ ${draft}`);
  seen.type(`${ctrl("c")}${ctrl("d")}`);
  await seen.sees("exit 0");
});
