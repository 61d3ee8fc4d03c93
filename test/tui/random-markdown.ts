/** Markdown that nobody wrote, from a seed: whole constructs, halves of them, and what only looks like one. */
export type Random = () => number;

export function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pickOne<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

const WORDS = [
  "alpha",
  "the",
  "of",
  "Größe",
  "数据",
  "🙂",
  "a|b",
  "x_y_z",
  "*",
  "**bold**",
  "`code`",
  "~~no~~",
  "[a]",
  "[b][a]",
  "[t](https://x.example)",
  "<https://y.example>",
  "&amp;",
  "&#27;",
  "\\*",
  "$x^2$",
  "<b>",
  "</b>",
  "![i](http://z)",
  "averyveryverylongwordthatdoesnotfitanywhere",
];
const LINES = [
  "",
  "",
  "",
  "   ",
  "- ",
  "* item",
  "+ x",
  "1. one",
  "2) two",
  "  - nested",
  "    indented",
  "\ttab",
  "> quote",
  ">",
  "> - q",
  "# h",
  "###",
  "===",
  "---",
  "***",
  "```",
  "```ts",
  "~~~",
  "````",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 | 3 |",
  "[a]: https://a.example",
  "[b]:",
  '"title',
  'title" (x',
  "<div>",
  "</div>",
  "<!--",
  "-->",
  "<pre>",
  "</pre>",
  "- [x] done",
  "- [ ] open",
  "const a = 1;",
  "$$",
  "\\[",
];

export function randomMarkdown(random: Random): string {
  const lines: string[] = [];
  const count = 1 + Math.floor(random() * 40);
  for (let index = 0; index < count; index += 1) {
    const indent = random() < 0.15 ? " ".repeat(Math.floor(random() * 6)) : "";
    const start = random() < 0.65 ? pickOne(random, LINES) : "";
    const words =
      random() < 0.6 ? Array.from({ length: Math.floor(random() * 12) }, () => pickOne(random, WORDS)).join(" ") : "";
    lines.push(`${indent}${start}${start !== "" && words !== "" ? " " : ""}${words}`);
  }
  return lines.join("\n") + (random() < 0.5 ? "\n" : "");
}
