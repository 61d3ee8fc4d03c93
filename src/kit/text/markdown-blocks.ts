/**
 * Lexes Markdown into blocks and counts those that later text can no longer change. Limits on nesting and emphasis keep
 * adversarial input from stalling the lexer. Raw HTML and math are plain text.
 */
import { Lexer, Marked, Tokenizer, type Token, type TokenizerAndRendererExtension, type Tokens } from "marked";

/** Link targets by label. */
export type Links = Readonly<Lexer["tokens"]["links"]>;

export const NO_LINKS: Links = Object.freeze(Object.create(null) as Links);

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly links: Links;
}

const STRIKETHROUGH = /^(~~)(?=[^\s~])((?:\\.|[^\\])*?(?:\\.|[^\s~\\]))\1(?=[^~]|$)/;
const RULE = /^ {0,3}([*_])(?:[ \t]*\1){2,}[ \t]*$/m;
/** Deeper nested lists are plain text. */
const DEPTH_MAX = 24;
/** More quote and list markers than this in one line are plain text: the lexer rescans the line for each of them. */
const TOO_DEEP = new RegExp(`^(?:[ \\t]{0,3}(?:>|[-*+][ \\t]|\\d{1,9}[.)][ \\t])[ \\t]?){${DEPTH_MAX}}`);
const EMPHASIS_MARKS_MAX = 600;
const MATH =
  /^(?:\$\$[^$]{1,4000}\$\$|\$(?![\s$])[^$\n]{1,1000}?(?<![\s\\])\$(?!\w)|\\\([\s\S]{1,4000}?\\\)|\\\[[\s\S]{1,4000}?\\\])/;

/** Longer inline text is not searched for links and emphasis: some inputs take quadratic time. */
const INLINE_CHARS_MAX = 10_000;
/** The limit for text with more markup characters than prose has. */
const MARKED_CHARS_MAX = 2_000;
const INLINE_MARKS = /[[\]()<>&\\`~$@*_!]/g;

class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (!isTooMuch(source)) return super.inlineTokens(source, tokens);
    tokens.push({ type: "text", raw: source, text: source, escaped: false } satisfies Tokens.Text);
    return tokens;
  }
}

function isTooMuch(source: string): boolean {
  if (source.length <= MARKED_CHARS_MAX) return false;
  if (source.length > INLINE_CHARS_MAX) return true;
  return (source.match(INLINE_MARKS)?.length ?? 0) > source.length / 4;
}

class BoundedTokenizer extends Tokenizer {
  #paragraph = "";
  #isCrowded = false;
  #lists = 0;

  /** A title ends at an empty line; otherwise a quotation mark far below could change finished blocks. */
  override def(source: string): Tokens.Def | undefined {
    const token = super.def(source);
    const gap = token === undefined ? -1 : token.raw.search(/\n[ \t]*\n[ \t]*\S/);
    return gap < 0 ? token : super.def(source.slice(0, gap + 1));
  }

  /** A thematic break ends a paragraph; otherwise a line of = far below would turn all of it into a heading. */
  override lheading(source: string): Tokens.Heading | undefined {
    const token = super.lheading(source);
    return token === undefined || RULE.test(token.raw) ? undefined : token;
  }

  /** A quote ends at an empty line; otherwise one that ends in a list would swallow what follows. */
  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (!/^ {0,3}>/.test(source) || TOO_DEEP.test(source)) return undefined;
    const gap = source.search(/\n[ \t]*\n/);
    return super.blockquote(gap < 0 ? source : source.slice(0, gap + 1));
  }

  /** Nested lists too: each level rescans everything below it. */
  override list(source: string): Tokens.List | undefined {
    if (this.#lists >= DEPTH_MAX || TOO_DEEP.test(source)) return undefined;
    this.#lists += 1;
    try {
      return super.list(source);
    } finally {
      this.#lists -= 1;
    }
  }

  /** No emphasis in a paragraph full of stars and underscores: each would be paired with all others. */
  override emStrong(source: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    if (masked !== this.#paragraph) {
      this.#paragraph = masked;
      this.#isCrowded = (masked.match(/[*_]/g)?.length ?? 0) > EMPHASIS_MARKS_MAX;
    }
    return this.#isCrowded ? undefined : super.emStrong(source, masked, before);
  }

  /** Only double tildes strike through; a single one mostly means "about". */
  override del(source: string): Tokens.Del | undefined {
    const match = STRIKETHROUGH.exec(source);
    if (match === null) return undefined;
    const [raw, , text = ""] = match;
    return { type: "del", raw, text, tokens: this.lexer.inlineTokens(text) };
  }
}

/** Math stays literal: no emphasis inside. */
const math: TokenizerAndRendererExtension = {
  name: "math",
  level: "inline",
  start: (source) => /\$|\\[([]/.exec(source)?.index,
  tokenizer(source) {
    const raw = MATH.exec(source)?.[0];
    return raw === undefined ? undefined : { type: "math", raw, text: raw };
  },
  renderer: () => "",
};

/** A repeated definition stays a block; the lexer would drop it, and then no block would count as finished. */
const repeatedDef: TokenizerAndRendererExtension = {
  name: "repeatedDef",
  level: "block",
  tokenizer(source, before) {
    const { type = "" } = before.at(-1) ?? {};
    // Inside a paragraph it is more of its text.
    if (type === "paragraph" || type === "text") return undefined;
    const token = this.lexer.options.tokenizer?.def(source);
    return token !== undefined && this.lexer.tokens.links[token.tag] !== undefined ? token : undefined;
  },
  renderer: () => "",
};

const { defaults } = new Marked({ gfm: true, breaks: false, pedantic: false, extensions: [math, repeatedDef] });

/** Never throws: unlexable input is returned as literal text. */
export function lexBlocks(text: string, known: Links): Lexed {
  const lexer = new BoundedLexer({ ...defaults, tokenizer: new BoundedTokenizer() });
  Object.assign(lexer.tokens.links, known);
  try {
    const tokens = lexer.lex(text);
    return { tokens, links: tokens.links };
  } catch {
    // Nesting too deep for the lexer's recursion, or a failure inside the lexer.
    return { tokens: [{ type: "html", raw: text, text, block: true, pre: false } satisfies Tokens.HTML], links: known };
  }
}

/**
 * Number of leading tokens that are final. A block is final when another block ended it and a complete line follows:
 * an incomplete line could still become a list item or more of an indented block.
 */
export function finishedCount(tokens: readonly Token[], text: string): number {
  let end = 0;
  const ends = tokens.map((token) => (end += token.raw.length));
  if (end !== text.length) return 0;
  for (let index = tokens.length - 2; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token !== undefined && isEndedByItself(token, index) && hasWholeLine(text, ends[index] ?? 0)) return index + 1;
  }
  return 0;
}

function isEndedByItself(token: Token, index: number): boolean {
  switch (token.type) {
    case "space":
      return index > 0;
    case "heading":
    case "hr":
      return true;
    case "code":
      return token["codeBlockStyle"] !== "indented";
    default:
      return false;
  }
}

function hasWholeLine(text: string, from: number): boolean {
  const newline = text.indexOf("\n", from);
  return newline > from && text.slice(from, newline).trim() !== "";
}
