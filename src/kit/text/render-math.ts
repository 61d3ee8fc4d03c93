/** Formulas as MathML, by KaTeX. Loaded when there is one. */
import { renderToString } from "katex";
import { MATH_ATTRIBUTES, MATH_TAGS } from "./math-tags.ts";

const FORMULA = /^(?:\$\$([\s\S]+)\$\$|\\\[([\s\S]+)\\\]|\$([\s\S]+)\$|\\\(([\s\S]+)\\\))$/;
/** Longer ones are shown as written. */
const MARKUP_CHARS_MAX = 100_000;
const TAG = /<(\/?)([a-z]+)((?:\s+[a-z:]+\s*="[^"]*")*)\s*(\/?)>/g;
const LENGTHS: ReadonlySet<string> = new Set(["depth", "height", "lspace", "rspace", "width"]);
/** In em. Larger or negative lengths would overlap other text. */
const LENGTH_MAX = 20;
const LENGTH_MIN = -1;

const tags = new Set(MATH_TAGS);
const attributes = new Set(MATH_ATTRIBUTES);

/** With its delimiters. Undefined for what KaTeX does not understand. */
export function renderMath(source: string): string | undefined {
  const [, dollars, square, dollar, round] = FORMULA.exec(source) ?? [];
  const block = dollars ?? square;
  const formula = block ?? dollar ?? round;
  if (formula === undefined) return undefined;
  try {
    const markup = renderToString(formula, {
      output: "mathml",
      displayMode: block !== undefined,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: 500,
      maxSize: LENGTH_MAX,
    });
    return markup.length > MARKUP_CHARS_MAX ? undefined : closedMarkup(markup);
  } catch {
    // Not a formula, or one with a mistake.
    return undefined;
  }
}

/** Only tags and attributes of the closed list come out. */
function closedMarkup(markup: string): string | undefined {
  const plain = markup.replaceAll(/<annotation[\s\S]*?<\/annotation>/g, "");
  if (/[<>]/.test(plain.replaceAll(TAG, ""))) return undefined;
  return plain.replaceAll(TAG, (_tag, closing: string, name: string, given: string, empty: string) => {
    if (!tags.has(name)) return "";
    if (closing !== "") return `</${name}>`;
    return `<${name}${closedAttributes(given)}>${empty === "" ? "" : `</${name}>`}`;
  });
}

function closedAttributes(given: string): string {
  return [...given.matchAll(/([a-z:]+)\s*="([^"]*)"/g)]
    .filter(([, name = "", value = ""]) => attributes.has(name) && /^[\w .%-]*$/.test(value) && isShort(name, value))
    .map(([, name, value]) => ` ${name}="${value}"`)
    .join("");
}

function isShort(name: string, value: string): boolean {
  const length = Number.parseFloat(value);
  return !LENGTHS.has(name) || value.endsWith("%") || (length >= LENGTH_MIN && length <= LENGTH_MAX);
}
