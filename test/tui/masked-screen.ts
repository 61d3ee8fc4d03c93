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

export function masked(rows: readonly string[]): string {
  const text = rows.join("\n");
  return MASKS.reduce((shown, [what, mask]) => shown.replaceAll(what, mask), text);
}
