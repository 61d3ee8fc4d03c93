/**
 * Markdown into blocks, and how many of them no later text can change any more. Made hard against texts that would keep
 * a lexer busy: nesting and emphasis have limits. Raw HTML and mathematics are words.
 */
import { Lexer, Marked, Tokenizer, type Token, type TokenizerAndRendererExtension, type Tokens } from "marked";

/** Where `[label]` leads, by label. */
export type Links = Readonly<Lexer["tokens"]["links"]>;

export const NO_LINKS: Links = Object.freeze(Object.create(null) as Links);

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly links: Links;
}

const STRIKETHROUGH = /^(~~)(?=[^\s~])((?:\\.|[^\\])*?(?:\\.|[^\s~\\]))\1(?=[^~]|$)/;
const RULE = /^ {0,3}([*_])(?:[ \t]*\1){2,}[ \t]*$/m;
/** Lists that stand deeper in each other are words. */
const DEPTH_MAX = 24;
/** More quotes and bullets than this in one line are words: the lexer reads the rest of the line anew for each of them. */
const TOO_DEEP = new RegExp(`^(?:[ \\t]{0,3}(?:>|[-*+][ \\t]|\\d{1,9}[.)][ \\t])[ \\t]?){${DEPTH_MAX}}`);
const EMPHASIS_MARKS_MAX = 600;
const MATH =
  /^(?:\$\$[^$]{1,4000}\$\$|\$(?![\s$])[^$\n]{1,1000}?(?<![\s\\])\$(?!\d)|\\\([\s\S]{1,4000}?\\\)|\\\[[\s\S]{1,4000}?\\\])/;

/** Words in one block beyond this are not looked through for links and emphasis: some texts cost the square of their length. */
const INLINE_CHARS_MAX = 10_000;
/** As are those with more of these than prose has, from this length on. */
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

  /** A title ends before an empty line; else a quotation mark far below could change what is long finished. */
  override def(source: string): Tokens.Def | undefined {
    const token = super.def(source);
    const gap = token === undefined ? -1 : token.raw.search(/\n[ \t]*\n[ \t]*\S/);
    return gap < 0 ? token : super.def(source.slice(0, gap + 1));
  }

  /** A rule ends a paragraph. Left to itself a line of = far below makes a heading of the rule and all before it. */
  override lheading(source: string): Tokens.Heading | undefined {
    const token = super.lheading(source);
    return token === undefined || RULE.test(token.raw) ? undefined : token;
  }

  /** A quote ends at an empty line. Left to itself, one that ends in a list takes in what comes after. */
  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (!/^ {0,3}>/.test(source) || TOO_DEEP.test(source)) return undefined;
    const gap = source.search(/\n[ \t]*\n/);
    return super.blockquote(gap < 0 ? source : source.slice(0, gap + 1));
  }

  /** Lists in lists, too: each level reads all that stand deeper anew. */
  override list(source: string): Tokens.List | undefined {
    if (this.#lists >= DEPTH_MAX || TOO_DEEP.test(source)) return undefined;
    this.#lists += 1;
    try {
      return super.list(source);
    } finally {
      this.#lists -= 1;
    }
  }

  /** A paragraph full of stars and underscores is not searched for emphasis: each of them would be paired with all others. */
  override emStrong(source: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    if (masked !== this.#paragraph) {
      this.#paragraph = masked;
      this.#isCrowded = (masked.match(/[*_]/g)?.length ?? 0) > EMPHASIS_MARKS_MAX;
    }
    return this.#isCrowded ? undefined : super.emStrong(source, masked, before);
  }

  /** Only a pair of tildes strikes out; one is mostly "about". */
  override del(source: string): Tokens.Del | undefined {
    const match = STRIKETHROUGH.exec(source);
    if (match === null) return undefined;
    const [raw, , text = ""] = match;
    return { type: "del", raw, text, tokens: this.lexer.inlineTokens(text) };
  }
}

/** Formulas stay as they were written: no star or underscore in them is emphasis. */
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

/** A label that is defined again is still a block. Left to itself the lexer drops it, and then nothing counts as finished. */
const repeatedDef: TokenizerAndRendererExtension = {
  name: "repeatedDef",
  level: "block",
  tokenizer(source, before) {
    const { type = "" } = before.at(-1) ?? {};
    // There it is more of the words before it.
    if (type === "paragraph" || type === "text") return undefined;
    const token = this.lexer.options.tokenizer?.def(source);
    return token !== undefined && this.lexer.tokens.links[token.tag] !== undefined ? token : undefined;
  },
  renderer: () => "",
};

const { defaults } = new Marked({ gfm: true, breaks: false, pedantic: false, extensions: [math, repeatedDef] });

/** Never throws: what cannot be understood is shown as it was written. */
export function lexBlocks(text: string, known: Links): Lexed {
  const lexer = new BoundedLexer({ ...defaults, tokenizer: new BoundedTokenizer() });
  Object.assign(lexer.tokens.links, known);
  try {
    const tokens = lexer.lex(text);
    return { tokens, links: tokens.links };
  } catch {
    // Nesting too deep for the lexer's recursion, or a text it cannot get on with.
    return { tokens: [{ type: "html", raw: text, text, block: true, pre: false } satisfies Tokens.HTML], links: known };
  }
}

/**
 * How many of the first tokens are finished. A block is, when something ended it that is no part of it and a whole line
 * stands after that: half a line could still become the next item of a list or more of an indented block.
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
