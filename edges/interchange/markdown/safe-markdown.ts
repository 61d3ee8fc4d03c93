/**
 * Confines untrusted text within a Markdown document. No fence is left open or closed too early, no
 * tag is rendered, no picture is fetched, and no heading looks like one of ours.
 */
import type { Token, Tokens } from "marked";
import { hasAny, lexMarkdown } from "../readable/lex-markdown.ts";

/** A fence longer than any in its content. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text.endsWith("\n") ? text.slice(0, -1) : text}\n${fence}`;
}

/** Code within a line. */
export function coded(text: string): string {
  const line = oneLine(text);
  const tick = "`".repeat(longestRun(line) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") || line === "" ? " " : "";
  return `${tick}${pad}${line}${pad}${tick}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** A line of plain text: no Markdown, no tags. */
export function plainLine(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_[\]#|~!]/g, String.raw`\$&`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
}

/** For the summary of a fold, which is not parsed as Markdown. */
function htmlLine(text: string): string {
  return oneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** Balanced; the blank lines enable Markdown inside. */
export function folded(summary: string, body: string): string {
  return `<details>\n<summary>${htmlLine(summary)}</summary>\n\n${body}\n\n</details>`;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;
/** Our own headings are above this level. */
const HEADING_LEVEL_MIN = 4;
const SENTINEL = "after";
/** Tags are untrusted, and images would be fetched on opening the document. */
const UNSAFE = ["html", "image"] as const;

/**
 * Markdown of a member or the user, rendered but confined. What a renderer would not
 * separate from what follows, or would treat as tags, is shown as written, in a fence.
 */
export function contained(markdown: string): string {
  const text = containedLines(markdown.replaceAll(/\r\n?/g, "\n").replaceAll("\f", " ").trimEnd());
  const tokens = lexMarkdown(`${text}\n\n## ${SENTINEL}\n`);
  const last = tokens?.at(-1);
  const isApart = last?.type === "heading" && (last as Tokens.Heading).text === SENTINEL;
  const isSafe = tokens !== undefined && isApart && !hasAny(tokens, UNSAFE) && !hasHigherHeading(tokens.slice(0, -1));
  return isSafe ? text : fenced(markdown);
}

function hasHigherHeading(tokens: readonly Token[]): boolean {
  return tokens.some((token) => token.type === "heading" && (token as Tokens.Heading).depth < HEADING_LEVEL_MIN);
}

function containedLines(markdown: string): string {
  const lines: string[] = [];
  let fence: { readonly mark: string; readonly length: number } | undefined;
  for (const line of markdown.split("\n")) {
    const [, run = "", rest = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      const closes = run.startsWith(fence.mark) && run.length >= fence.length && rest.trim() === "";
      if (closes) fence = undefined;
      lines.push(line);
    } else if (run !== "" && !(run.startsWith("`") && rest.includes("`"))) {
      fence = { mark: run.charAt(0), length: run.length };
      lines.push(line);
    } else lines.push(containedLine(line));
  }
  if (fence !== undefined) lines.push(fence.mark.repeat(fence.length));
  return lines.join("\n");
}

function containedLine(line: string): string {
  const lowered = line.replace(/^( {0,3})(#{1,3})(?=[ \t]|$)/, `$1${"#".repeat(HEADING_LEVEL_MIN)}`);
  // A line of dashes or equals signs would make a heading of the line before it.
  const levelled = lowered
    .replace(/^ {0,3}-(?:[ \t]*-)+[ \t]*$/, "\n***\n")
    .replace(/^( {0,3})(=+[ \t]*)$/, String.raw`$1\$2`)
    // A link definition `[x]` would also apply to everybody else's text.
    .replace(/^( {0,3})\[(?=[^\]]{1,999}\]:)/, String.raw`$1\[`);
  return outsideCode(levelled, (text) =>
    text.replaceAll(/\\?<(?=[A-Za-z/!?])/g, String.raw`\<`).replaceAll(/(?<!\\)((?:\\\\)*)!(?=\[)/g, String.raw`$1\!`),
  );
}

/** Changes text outside code spans of this line. */
function outsideCode(line: string, change: (text: string) => string): string {
  const runs = [...line.matchAll(/`+/g)].map((match) => ({ at: match.index, length: match[0].length, next: -1 }));
  const seen = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined) continue;
    run.next = seen.get(run.length) ?? -1;
    seen.set(run.length, index);
  }
  let out = "";
  let at = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    const closing = run === undefined ? undefined : runs[run.next];
    if (run === undefined || closing === undefined) continue;
    const end = closing.at + closing.length;
    out += change(line.slice(at, run.at)) + line.slice(run.at, end);
    at = end;
    index = run.next;
  }
  return out + change(line.slice(at));
}
