import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** What differs from run to run is masked: times, ids, ports, the spinner. Width and place stay where they can. */
const MASKS: readonly [RegExp, string][] = [
  // How long a turn took stands at the right edge; the room before it goes with it.
  [
    / {2,}((?:✓|✗ failed at|✗ time limit at|■ stopped by you ·|■ stopped ·) )(?:\d+:\d\d|[\d.]+ s)(?= |$)/gmu,
    "  $1m:ss",
  ],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, "⠿"],
  [/\b[0-9a-z]{6}(?= · (?:broadcast|sequential|hosted here|attached to|idle|this one|running))/g, "xxxxxx"],
  [/(?<=[○●◌✗] )(?!claude|gemini)[0-9a-z]{6}(?= {2}\S)/gu, "xxxxxx"],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/gi, "x".repeat(26)],
  [/(?<=terminal )[0-9a-z]{4}\b/g, "xxxx"],
  [/(?<=127\.0\.0\.1:)\d{4,5}/g, "ppppp"],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, "hh:mm"],
  [/(?<=in )\d:\d\d|\b\d:\d\d(?= left| ─| ·|$)/gm, "m:ss"],
  [/(?<= {2}| · )[0-9a-hjkmnp-tv-z]{6}$/gm, "xxxxxx"],
  [/asked \d+ s ago/g, "asked N s ago"],
  [/\b\d+(?:\.\d+)? m?s\b/g, "N ms"],
  [/(?<=· )(?:\d+m ?)?\d+s(?= · Esc)/g, "Ns"],
  [/\b[\d.]+(?=\/\d+ min\b)/g, "N"],
  // What a message took stands in the title row from one second on.
  [/ {2,}(\d+ rounds?)(?: · m:ss)?(?= · |$)/gm, "  $1 · m:ss"],
  // How many commands there are is no part of a picture.
  [/\(1\/\d+\)/g, "(1/N)"],
  [/(?<=Roundtable )\d+\.\d+\.\d+/g, "x.y.z"],
  [/rt-cli-\w{6}/g, "rt-cli-xxxxxx"],
];

/** Where homes are made; on the pictures it is this. */
const homes = path.join(realpathSync(process.env["ROUNDTABLE_TEST_KEPT"] ?? tmpdir()), "rt-cli-");
const HOMES_SHOWN = "/tmp/rt-cli-";

/** What is longer in some runs than in others. */
const GROWING: readonly [RegExp, string][] = [
  [new RegExp(homes.replaceAll(/[^\w/]/g, String.raw`\$&`)), HOMES_SHOWN],
  [/(?<![/\d])\d+ min(?: ago)?\b/, "now"],
];

/** What a row becomes shorter or longer by, the room before its edge makes up for. */
function withMask(row: string, [what, mask]: (typeof GROWING)[number]): string {
  const found = what.exec(row);
  if (found === null) return row;
  const behind = row.slice(found.index + found[0].length);
  const [, words = "", room = "", edge = ""] = /^(.*?)( *)(│.*)?$/.exec(behind) ?? [];
  const roomFor = edge === "" ? 0 : room.length + found[0].length - mask.length;
  return `${row.slice(0, found.index)}${mask}${words}${" ".repeat(Math.max(0, roomFor))}${edge}`;
}

export function masked(rows: readonly string[]): string {
  const text = rows.map((row) => GROWING.reduce(withMask, row)).join("\n");
  return MASKS.reduce((shown, [what, mask]) => shown.replaceAll(what, mask), text);
}
