import { ScrollView, type Component } from "@earendil-works/pi-tui";
import { expect, onTestFinished, test } from "vitest";
import { openTestScreen } from "../../../test/tui/in-process-terminal.ts";
import { createTheme } from "../theme/create-theme.ts";
import { selectWithoutBars } from "./selection.ts";

const RED = "\u001b[31m";
const RESET = "\u001b[39m";

function open(rows: readonly string[]) {
  const component: Component = { render: () => [...rows], invalidate: () => {} };
  const screen = openTestScreen(new ScrollView(component), 30, 8);
  selectWithoutBars(screen.tui, () => createTheme({ name: "dark", depth: "truecolor" }));
  onTestFinished(() => screen.close());
  const drag = async (from: [number, number], to: [number, number]) => {
    await screen.settle();
    screen.terminal.type(`\u001b[<0;${from[0] + 1};${from[1] + 1}M`);
    screen.terminal.type(`\u001b[<32;${to[0] + 1};${to[1] + 1}M`);
    screen.terminal.type(`\u001b[<0;${to[0] + 1};${to[1] + 1}m`);
    await screen.settle();
    return clipboard(screen.terminal.takeWritten());
  };
  return { screen, drag };
}

/** What the terminal was asked to put there last. */
function clipboard(written: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- the sequence that sets the clipboard.
  const told = [...written.matchAll(/\u001b\]52;c;([A-Za-z0-9+/=]*)\u0007/g)].at(-1)?.[1];
  return told === undefined ? undefined : Buffer.from(told, "base64").toString();
}

test("what is marked with the mouse is copied without the bars of messages", async () => {
  const { drag } = open(["● ada", `│ ${RED}let${RESET} a = 0;`, "  │ let b = 1;", "┃ you │ there"]);
  expect(await drag([0, 0], [29, 3])).toBe("● ada\nlet a = 0;\nlet b = 1;\nyou │ there");
});

test("a line that is begun in its middle keeps what looks like a bar", async () => {
  const { drag } = open(["│ │ cell │", "│ │ next │"]);
  expect(await drag([2, 0], [29, 1])).toBe("│ cell │\n│ next │");
});

test("marked text has one look, whatever its colours were", async () => {
  const { screen, drag } = open([`│ ${RED}let${RESET} a = 0;`, "last"]);
  await drag([2, 0], [8, 0]);
  const [row = ""] = await screen.styledRows();
  expect(row).toMatch(/^│ \{[^}]+\}let a =\{/);
});
