/** Inline Markdown as styled text, with line breaks. */
import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import type { Token, Tokens } from "marked";
import type { Decoration, Theme, Tone } from "../theme/theme.ts";

/** Schemes of clickable links: the terminal opens what it is given, so none that can run anything. */
const SAFE = new Set(["http:", "https:", "mailto:"]);

const URL_CHARS_MAX = 2048;

const HOST = process.platform === "win32" || !/^[\w.-]+$/.test(hostname()) ? "" : hostname();

export interface InlineStyle {
  readonly tone: Tone;
  readonly decorations: readonly Decoration[];
}

export interface InlineContext {
  readonly theme: Theme;
  /** Files are linked to below this directory; empty for none. */
  readonly cwd: string;
}

export const PLAIN: InlineStyle = { tone: "text", decorations: [] };

/** Deeper emphasis is shown as written. */
const DEPTH_MAX = 40;

export function inlineText(tokens: readonly Token[], context: InlineContext, style: InlineStyle, depth = 0): string {
  let text = "";
  for (const token of tokens)
    text += depth > DEPTH_MAX ? run(token.raw, context.theme, style) : one(token, context, style, depth);
  return text;
}

function one(token: Token, context: InlineContext, style: InlineStyle, depth: number): string {
  const { theme } = context;
  const inner = (more: Partial<InlineStyle>) =>
    inlineText(childrenOf(token), context, { ...style, ...more }, depth + 1);
  const decorated = (decoration: Decoration) => inner({ decorations: [...style.decorations, decoration] });
  switch (token.type) {
    case "strong":
      return decorated("bold");
    case "em":
      return decorated("italic");
    case "del":
      return decorated("strike");
    case "codespan":
      return code((token as Tokens.Codespan).text, context);
    case "br":
      return "\n";
    case "link": {
      const { href } = token as Tokens.Link;
      const label = decorated("underline");
      return link(label, plainText(childrenOf(token)), href, theme);
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      const label = `[image: ${decodeEntities(text === "" ? "without description" : text)}]`;
      return link(run(label, theme, style), label, href, theme);
    }
    case "checkbox":
      return "";
    case "text":
    case "escape":
      return childrenOf(token).length > 0 ? inner({}) : referenced(decodeEntities(textOf(token)), context, style);
    default:
      return run(token.raw, theme, style);
  }
}

/** Without colours the backticks stay, since nothing else marks code. */
function code(text: string, { theme, cwd }: InlineContext): string {
  const unbroken = text.replaceAll(" ", NBSP);
  const painted = theme.paint("code", theme.depth === "none" ? `\`${unbroken}\`` : unbroken);
  return REFERENCE_ONLY.test(text) ? fileLink(theme.decorate("underline", painted), text, { theme, cwd }) : painted;
}

/** Keeps two words in one row; rows have a space instead. */
const NBSP = "\u00a0";

/** A number and its unit are not torn apart. */
const UNIT =
  /(?<=\b\d[\d.,]*) (?=(?:ns|µs|ms|s|min|h|d|B|kB|KB|MB|GB|TB|KiB|MiB|GiB|px|%|tokens|lines|rows|columns|files|times)(?![\w-]))/g;

/** `path:line`: a file with an extension, and where in it. */
const REFERENCE = /(?<![\w/.:@-])(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z]\w{0,9}:\d+(?:[-–:]\d+)?(?![\w/])/g;
const REFERENCE_ONLY = new RegExp(`^${REFERENCE.source}$`);

/** Files and lines that a text names, in order. */
export function fileReferences(text: string): { readonly file: string; readonly line: number }[] {
  return [...text.matchAll(REFERENCE)].map(([reference]) => {
    const at = reference.indexOf(":");
    return { file: reference.slice(0, at), line: Number.parseInt(reference.slice(at + 1), 10) };
  });
}

/** Text in which references to lines of files are underlined. */
function referenced(text: string, context: InlineContext, style: InlineStyle): string {
  const whole = text.replaceAll(UNIT, NBSP);
  if (!whole.includes(":")) return run(whole, context.theme, style);
  let shown = "";
  let end = 0;
  for (const { 0: reference, index } of whole.matchAll(REFERENCE)) {
    const label = run(reference, context.theme, { ...style, decorations: [...style.decorations, "underline"] });
    shown += run(whole.slice(end, index), context.theme, style) + fileLink(label, reference, context);
    end = index + reference.length;
  }
  return shown + run(whole.slice(end), context.theme, style);
}

/** Only to files below the session's directory. */
function fileLink(label: string, reference: string, { theme, cwd }: InlineContext): string {
  const path = reference.replace(/:.*$/, "");
  if (!theme.hasLinks || cwd === "" || path.split("/").includes("..")) return label;
  const url = pathToFileURL(`${cwd}/${path}`);
  // With the host the terminal at the other end of a remote login knows that the file is not its own.
  if (HOST !== "") url.hostname = HOST;
  return hyperlink(label, url.href);
}

/** The address is always visible, unless it is the label. */
function link(label: string, text: string, href: string, theme: Theme): string {
  const address = safeAddress(href);
  const clickable = theme.hasLinks && address !== undefined ? hyperlink(label, address) : label;
  const isAddressShown = text === href || `mailto:${text}` === href || `http://${text}` === href;
  return isAddressShown || href === "" ? clickable : `${clickable}${theme.paint("quiet", ` (${href})`)}`;
}

/** Per line, so that wrapping finds complete styles. */
function run(text: string, theme: Theme, { tone, decorations }: InlineStyle): string {
  if (text === "" || (tone === "text" && decorations.length === 0)) return text;
  const paint = (line: string) =>
    decorations.reduce((done, decoration) => theme.decorate(decoration, done), theme.paint(tone, line));
  return text.includes("\n") ? text.split("\n").map(paint).join("\n") : paint(text);
}

export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (childrenOf(token).length > 0 ? plainText(childrenOf(token)) : decodeEntities(textOf(token))))
    .join("");
}

export function childrenOf(token: Token): readonly Token[] {
  return (token as { tokens?: readonly Token[] }).tokens ?? [];
}

function textOf(token: Token): string {
  return (token as { text?: string }).text ?? token.raw;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

/** Only these: numeric entities could encode a control character. */
function decodeEntities(text: string): string {
  return text.includes("&")
    ? text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
    : text;
}

/** The address in ASCII, or undefined when it must not be clickable. */
function safeAddress(href: string): string | undefined {
  if (href.length > URL_CHARS_MAX) return undefined;
  const url = URL.parse(href);
  if (url === null || !SAFE.has(url.protocol)) return undefined;
  return /^[\u0021-\u007e]+$/.test(url.href) && url.href.length <= URL_CHARS_MAX ? url.href : undefined;
}

/** `label` is styled; the address has passed `safeAddress`. */
function hyperlink(label: string, address: string): string {
  const lines = label.split("\n").map((line) => `\u001b]8;;${address}\u001b\\${line}\u001b]8;;\u001b\\`);
  return lines.join("\n");
}
