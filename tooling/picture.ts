/**
 * `node tooling/picture.ts [terminal|council …]`: takes the pictures of the documentation, docs/NAME.svg, seen through the
 * terminal emulator of the tests: the app at a session made for it, and the real program in a made-up repository.
 */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createHome, root } from "../test/cli/program.ts";
import { showMoment } from "../test/tui/design/moments.ts";
import { streaming } from "../test/tui/design/tidepool.ts";
import { openTerminal } from "../test/tui/terminal.ts";
import { makeRepository } from "./made-repository.ts";
import { screenSvg, type Picture } from "./screen-svg.ts";

const scenes: Readonly<Record<string, () => Promise<Picture>>> = { terminal, council };

const wanted = process.argv.slice(2);
for (const name of wanted.length === 0 ? Object.keys(scenes) : wanted) {
  const scene = scenes[name];
  if (scene === undefined)
    throw new Error(`There is no picture "${name}"; there are: ${Object.keys(scenes).join(", ")}.`);
  writeFileSync(path.join(root, "docs", `${name}.svg`), screenSvg(await scene()));
}

/** In the middle of it: one runs tests, one writes, one thinks. */
async function terminal(): Promise<Picture> {
  const [columns, rows] = [160, 44];
  const seen = await showMoment({ size: `${columns}x${rows}`, story: () => streaming() });
  const label = "The terminal app: three members answer one question side by side";
  const picture = { rows: seen.runs(), columns, label, cursor: seen.cursor() };
  await seen.close();
  return picture;
}

async function council(): Promise<Picture> {
  const [columns, rows] = [110, 48];
  const home = createHome();
  home.configure({ council: { members: ["scout", "historian", "critic"], auto_rounds: 2 } });
  await makeRepository(home.project);
  const seen = openTerminal(home, ["chat", "--new"], {}, { columns, rows });
  try {
    await seen.sees(/read-only|can edit/);
    seen.type("Where is parseTime defined?\r");
    await seen.shows(() => / \d rounds /.test(seen.screen()[0] ?? "") && !seen.text().includes("Esc stops"));
    const label = "A council in the terminal app: members answer, and later rounds in which nobody has anything to add";
    const cursor = seen.modes.isCursorHidden ? undefined : seen.cursor;
    return { rows: seen.runs(), columns, label, cursor };
  } finally {
    seen.close();
    await seen.ended;
    rmSync(home.directory, { recursive: true, force: true });
  }
}
