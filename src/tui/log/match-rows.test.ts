import { stripTerminalSequences } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { createTheme } from "../theme/create-theme.ts";
import { findInRows, markRow } from "./search-text.ts";

const theme = createTheme({ name: "dark", depth: "truecolor" });

test("a match that is wrapped inside a frame is found as one, with a piece in each row", () => {
  const rows = ["│ the quick brown │", "│ fox 👩‍💻 jumps     │", "│ brown fox       │"];
  expect(findInRows(rows, /brown\s+fox/giu)).toEqual([
    { match: 0, row: 0, from: 12, to: 17 },
    { match: 0, row: 1, from: 2, to: 5 },
    { match: 1, row: 2, from: 2, to: 11 },
  ]);
  expect(findInRows(rows, /jumps/giu)).toEqual([{ match: 0, row: 1, from: 9, to: 14 }]);
});

test("marking changes no letter and keeps the look of what stands around", () => {
  const row = `│ ${theme.decorate("bold", "a bold word")} and ${theme.paint("code", "code")} │`;
  const [piece] = findInRows([row], /bold/giu);
  const marked = markRow(row, piece === undefined ? [] : [piece], undefined, theme);
  expect(stripTerminalSequences(marked)).toBe(stripTerminalSequences(row));
  expect(marked).toContain(theme.paint("match", "bold"));
  expect(marked.endsWith(`${theme.paint("code", "code")} │`)).toBe(true);
  expect(markRow(row, piece === undefined ? [] : [piece], 0, theme)).not.toBe(marked);
});
