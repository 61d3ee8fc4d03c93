/**
 * Syntax highlighting. The highlighter is loaded on demand after the first paint; until then, and for unknown
 * languages, code is plain. `highlightVersion` changes when it is loaded, so that rows can be redrawn.
 */
import type { HLJSApi } from "highlight.js";
import type { TextTone, Theme } from "../theme/theme.ts";

/** Longer code is not highlighted. */
const HIGHLIGHT_CHARS_MAX = 20_000;

let highlighter: HLJSApi | undefined;
let loading: Promise<void> | undefined;

export function loadHighlighter(): Promise<void> {
  loading ??= import("highlight.js/lib/common").then((module) => {
    highlighter = module.default;
  });
  return loading;
}

export function highlightVersion(): number {
  return highlighter === undefined ? 0 : 1;
}

/** The highlighted lines, or undefined when they stay plain. `code` must be terminal-safe. */
export function highlightLines(code: string, language: string, theme: Theme): string[] | undefined {
  if (highlighter === undefined || theme.depth === "none" || code.length > HIGHLIGHT_CHARS_MAX) return undefined;
  if (language === "" || highlighter.getLanguage(language) === undefined) return undefined;
  try {
    return paintHtml(highlighter.highlight(code, { language, ignoreIllegals: true }).value, theme);
  } catch {
    // A failing grammar costs the colours only.
    return undefined;
  }
}

const TOKENS = /<span class="(?:hljs-|language-)([\w-]+)[^"]*">|<\/span>|([^<]+)/g;

/** The highlighter returns its own HTML: spans with classes, everything else escaped. */
function paintHtml(html: string, theme: Theme): string[] {
  const scopes: (TextTone | undefined)[] = [];
  let text = "";
  for (const [token, opened, content] of html.matchAll(TOKENS)) {
    if (opened !== undefined) scopes.push(SCOPES[opened] ?? scopes.at(-1));
    else if (content === undefined) scopes.pop();
    else text += paintLines(unescapeHtml(token), scopes.at(-1), theme);
  }
  return text.split("\n");
}

function paintLines(text: string, scope: TextTone | undefined, theme: Theme): string {
  if (scope === undefined) return text;
  return text
    .split("\n")
    .map((line) => theme.paint(scope, line))
    .join("\n");
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
}

const SCOPES: Readonly<Record<string, TextTone>> = {
  keyword: "keyword",
  literal: "number",
  built_in: "type",
  type: "type",
  class: "type",
  string: "string",
  regexp: "string",
  symbol: "string",
  comment: "comment",
  quote: "comment",
  doctag: "comment",
  number: "number",
  title: "text",
  section: "text",
  function: "text",
  attr: "type",
  attribute: "type",
  property: "type",
  "selector-class": "type",
  "selector-id": "type",
  variable: "text",
  "template-variable": "text",
  name: "text",
  tag: "quiet",
  meta: "quiet",
  addition: "string",
  deletion: "text",
};
