/** Screens kept as text for a person to read: what differs from run to run is masked, width and place stay. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const directory = path.join(path.dirname(fileURLToPath(import.meta.url)), "screens");

const MASKS: readonly [RegExp, string][] = [
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏](?= )/gu, "⠿"],
  [/\b[0-9a-z]{6}(?= · (?:broadcast|sequential))/g, "xxxxxx"],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/gi, "x".repeat(26)],
  [/(?<=terminal )[0-9a-z]{4}\b/g, "xxxx"],
  [/(?<=127\.0\.0\.1:)\d{4,5}/g, "ppppp"],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, "hh:mm"],
  [/\b\d+m \d+s left/g, "Nm NNs left"],
  [/\b\d+(?:\.\d+)? m?s\b/g, "N ms"],
  [/(?<=· )(?:\d+m ?)?\d+s(?= · Esc)/g, "Ns"],
  [/rt-cli-\w{6}/g, "rt-cli-xxxxxx"],
];

export function masked(rows: readonly string[]): string {
  const text = rows.join("\n");
  return MASKS.reduce((shown, [what, mask]) => shown.replaceAll(what, mask), text);
}

/** Compares with test/tui/screens/NAME.txt. */
export async function expectScreen(rows: readonly string[], name: string): Promise<void> {
  await expect(`${masked(rows)}\n`).toMatchFileSnapshot(path.join(directory, `${name}.txt`));
}
