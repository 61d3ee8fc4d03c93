/**
 * `node tooling/picture.ts [terminal|council …]`: takes the pictures of the documentation, docs/NAME.svg, from the real
 * program with its embedded members in this repository, seen through the terminal emulator of the tests.
 */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createHome, root } from "../test/cli/program.ts";
import { openTerminal, type SeenTerminal } from "../test/tui/terminal.ts";
import { screenSvg } from "./screen-svg.ts";

interface Scene {
  readonly label: string;
  readonly columns: number;
  readonly rows: number;
  readonly council: object;
  /** Resolves when the picture is to be taken. */
  readonly play: (seen: SeenTerminal) => Promise<unknown>;
}

const members = ["scout", "historian", "critic"];

const scenes: Readonly<Record<string, Scene>> = {
  terminal: {
    label: "The terminal app: three members answer one question side by side",
    columns: 110,
    rows: 34,
    council: { members, auto_rounds: 0 },
    async play(seen) {
      seen.type("Who wrote the log writer, and what is risky in it?\r");
      await seen.shows(() => countOf(seen, /rows above/) === members.length);
    },
  },
  council: {
    label: "A council in the terminal app: the second round, and a third in which nobody has anything to add",
    columns: 110,
    rows: 48,
    council: { members, auto_rounds: 2 },
    async play(seen) {
      seen.type("Where is terminalSafeLine defined?\r");
      await seen.shows(
        () => lastRow(seen).includes("nobody had more to add") && countOf(seen, /have nothing to add · round 3/) > 0,
      );
    },
  },
};

const wanted = process.argv.slice(2);
for (const name of wanted.length === 0 ? Object.keys(scenes) : wanted) {
  const scene = scenes[name];
  if (scene === undefined)
    throw new Error(`There is no picture "${name}"; there are: ${Object.keys(scenes).join(", ")}.`);
  await take(name, scene);
}

async function take(name: string, { label, columns, rows, council, play }: Scene): Promise<void> {
  const home = createHome();
  home.configure({ council });
  const seen = openTerminal({ ...home, project: root }, ["chat", "--new"], {}, { columns, rows });
  try {
    await seen.sees("hosted here");
    await play(seen);
    const { isCursorHidden } = seen.modes;
    const picture = { rows: seen.runs(), columns, label, cursor: isCursorHidden ? undefined : seen.cursor };
    writeFileSync(path.join(root, "docs", `${name}.svg`), screenSvg(picture));
    console.log(seen.screen().join("\n"));
  } finally {
    seen.close();
    await seen.ended;
    rmSync(home.directory, { recursive: true, force: true });
  }
}

function countOf(seen: SeenTerminal, pattern: RegExp): number {
  return seen.screen().filter((row) => pattern.test(row)).length;
}

function lastRow(seen: SeenTerminal): string {
  return seen.screen().at(-1) ?? "";
}
