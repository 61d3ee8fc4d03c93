/** Markdown of the embedded members: fences that their content cannot close, and escaped names. */
import { printableLine } from "../../src/agents/index.ts";
import type { Excerpt } from "./search/excerpt.ts";
import { largest } from "../../src/kit/largest.ts";
import { plural } from "../../src/kit/text/format.ts";

const LANGUAGES: Readonly<Record<string, string>> = {
  cjs: "js",
  mjs: "js",
  cts: "ts",
  mts: "ts",
  py: "python",
  rs: "rust",
  rb: "ruby",
  yml: "yaml",
  md: "markdown",
  h: "c",
  hpp: "cpp",
  bash: "sh",
  jsonc: "json",
};

/** Inline code; a backtick inside makes the fence longer. */
export function inlineCode(text: string): string {
  const shown = printableLine(text);
  const fence = "`".repeat(longestRun(shown) + 1);
  const space = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}

export function reference(path: string, line?: number): string {
  return inlineCode(line === undefined ? path : `${path}:${line}`);
}

export function fenced(lines: readonly string[], path: string): string {
  const fence = "`".repeat(
    largest(
      lines.map((line) => longestRun(line) + 1),
      3,
    ),
  );
  return `${fence}${languageOf(path)}\n${lines.join("\n")}\n${fence}\n`;
}

export function excerptBlock(excerpt: Excerpt): string {
  return `${reference(excerpt.path, excerpt.line)}\n\n${fenced(excerpt.lines, excerpt.path)}\n`;
}

/** `1 file`, `2 files`, `1,234 files`. */
export function counted(count: number, noun: string): string {
  return plural(count, noun, noun.endsWith("ch") ? `${noun}es` : `${noun}s`);
}

function longestRun(text: string): number {
  return largest(
    text.matchAll(/`+/g).map(([run]) => run.length),
    0,
  );
}

function languageOf(path: string): string {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  if (/(?:^|\/)(?:GNU)?makefile$/i.test(path)) return "makefile";
  return LANGUAGES[extension] ?? extension;
}
