import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** What differs from run to run is masked: times, ids, ports, the spinner. Width and place stay where they can. */
const MASKS: readonly [RegExp, string][] = [
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, "⠿"],
  [/\b[0-9a-z]{6}(?= · (?:broadcast|sequential|hosted here|attached to))/g, "xxxxxx"],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/gi, "x".repeat(26)],
  [/(?<=terminal )[0-9a-z]{4}\b/g, "xxxx"],
  [/(?<=127\.0\.0\.1:)\d{4,5}/g, "ppppp"],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, "hh:mm"],
  [/\b\d+m \d+s left/g, "Nm NNs left"],
  [/asked \d+s ago/g, "asked Ns ago"],
  [/\b\d+(?:\.\d+)? m?s\b/g, "N ms"],
  [/(?<=· )(?:\d+m ?)?\d+s(?= · Esc)/g, "Ns"],
  // A meter of time that has got longer moves the edge behind it.
  [/\b[\d.]+(\/\d+ min[^│\n]*?) *│/g, "N$1 │"],
  // How many commands there are is no part of a picture.
  [/\(1\/\d+\)/g, "(1/N)"],
  [/rt-cli-\w{6}/g, "rt-cli-xxxxxx"],
  [/\b01[0-9A-HJKMNP-TV-Z]{6}\b/g, "01XXXXXX"],
];

/** Where homes are made; on the pictures it is this. */
const homes = path.join(realpathSync(process.env["ROUNDTABLE_TEST_KEPT"] ?? tmpdir()), "rt-cli-");
const HOMES_SHOWN = "/tmp/rt-cli-";

/** What a path becomes shorter or longer by, the room behind it makes up for. */
function withHomesAt(row: string): string {
  const at = row.indexOf(homes);
  if (at === -1 || homes === HOMES_SHOWN) return row;
  const [, words = "", room = "", edge = ""] = /^(.*?)( *)(│.*)?$/.exec(row.slice(at + homes.length)) ?? [];
  const roomFor = edge === "" ? 0 : room.length + homes.length - HOMES_SHOWN.length;
  return `${row.slice(0, at)}${HOMES_SHOWN}${words}${" ".repeat(Math.max(0, roomFor))}${edge}`;
}

export function masked(rows: readonly string[]): string {
  const text = rows.map(withHomesAt).join("\n");
  return MASKS.reduce((shown, [what, mask]) => shown.replaceAll(what, mask), text);
}
