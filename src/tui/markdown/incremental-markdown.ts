/**
 * Markdown that is still being written. Finished blocks are read and wrapped once, only the tail is redone; at every
 * moment the rows are those that the whole text would give. Text is made safe before it is read. Until it is done, what
 * it has begun to say in bold, as code or as a link is shown so from its first letter.
 */
import type { Token, Tokens } from "marked";
import type { Theme } from "../theme/theme.ts";
import { finishedCount, lexBlocks, type Links } from "../../kit/text/markdown-blocks.ts";
import { closeOpenInline } from "../../kit/text/open-inline.ts";
import { blockRows, countCodes, isTight } from "./block-rows.ts";
import { isOpenFence, OpenCodeRows } from "./code-rows.ts";
import { GrowingLines, GrowingRows, GrowingText } from "./growing-rows.ts";
import { highlightVersion } from "./highlight.ts";

/** Longer text is shown as written. */
export const MARKDOWN_CHARS_MAX = 1024 * 1024;

export interface IncrementalMarkdown {
  setText(text: string, options?: { isDone?: boolean }): void;
  /** The array is reused by the next call. */
  render(width: number): readonly string[];
  /** Discards rendered rows. */
  invalidate(): void;
}

export interface MarkdownOptions {
  readonly theme: Theme;
  /** Number of the first code block, from 1. */
  readonly firstCode?: number;
  /** Long lines of code are cut: the column can be widened. */
  readonly isCut?: boolean;
  /** Files are linked to below this directory. */
  readonly cwd?: string;
}

export function createIncrementalMarkdown(options: MarkdownOptions): IncrementalMarkdown {
  return new Incremental(options);
}

interface FinishedPart {
  readonly source: string;
  /** Contains a reference that a later definition could turn into a link. */
  readonly mayRefer: boolean;
  /** Number of its first code block. */
  readonly firstCode: number;
  /** Rows for `#width`, or undefined when not rendered. */
  rows: readonly string[] | undefined;
}

interface DrawnToken {
  readonly rows: readonly string[];
  /** Number of the next code block. */
  readonly nextCode: number;
}

const NO_LINKS: Links = Object.freeze(Object.create(null) as Links);

class Incremental implements IncrementalMarkdown {
  readonly #options: MarkdownOptions;
  /** Number of the first code block in the tail. */
  #tailCode: number;
  readonly #text = new GrowingText();
  readonly #openCode = new OpenCodeRows();
  readonly #growing = new GrowingRows();
  #plain: GrowingLines | undefined;
  #parts: FinishedPart[] = [];
  #finishedLinks: Links = NO_LINKS;
  #links: Links = NO_LINKS;
  #tail = "";
  #tailTokens: readonly Token[] = [];
  /** Rows of the tail's blocks but the last, which alone grows: a long line after them leaves them unfinished. */
  #tailRows = new Map<string, DrawnToken>();
  #isDone = false;
  #width = 0;
  #rows: string[] = [];
  /** Parts in `#rows`, and their number of rows. */
  #appendedParts = 0;
  #appendedRows = 0;
  #isCurrent = false;
  #highlightVersion = 0;

  constructor(options: MarkdownOptions) {
    this.#options = options;
    this.#tailCode = options.firstCode ?? 1;
  }

  setText(text: string, { isDone = false }: { isDone?: boolean } = {}): void {
    if (text.length > MARKDOWN_CHARS_MAX) {
      this.#plain ??= new GrowingLines();
      this.#plain.setText(text);
      return;
    }
    this.#plain = undefined;
    const { isReset, added } = this.#text.grow(text);
    if (isReset) this.#reset();
    else if (added === "" && isDone === this.#isDone) return;
    this.#isDone = isDone;
    this.#tail += added;
    this.#isCurrent = false;
    this.#read();
  }

  render(width: number): readonly string[] {
    if (this.#plain !== undefined) return this.#plain.render(width);
    if (width !== this.#width || this.#highlightVersion !== highlightVersion()) this.invalidate();
    if (this.#isCurrent) return this.#rows;
    this.#width = width;
    this.#highlightVersion = highlightVersion();
    this.#appendFinished();
    this.#appendTokens(this.#tailTokens, true, this.#tailCode);
    this.#isCurrent = true;
    return this.#rows;
  }

  invalidate(): void {
    for (const part of this.#parts) part.rows = undefined;
    this.#replace();
    this.#openCode.forget();
  }

  #reset(): void {
    this.#parts = [];
    this.#tail = "";
    this.#tailCode = this.#options.firstCode ?? 1;
    this.#finishedLinks = NO_LINKS;
    this.#links = NO_LINKS;
    this.#replace();
    this.#openCode.forget();
  }

  #replace(): void {
    this.#tailRows.clear();
    this.#appendedParts = 0;
    this.#appendedRows = 0;
    this.#isCurrent = false;
  }

  /** Parses the tail and moves blocks that later text cannot change to the finished parts. */
  #read(): void {
    const lexed = lexBlocks(this.#tail, this.#finishedLinks);
    this.#useLinks(lexed.links);
    const count = finishedCount(lexed.tokens, this.#tail);
    this.#tailTokens = this.#isDone ? lexed.tokens.slice(count) : asItWillRead(lexed.tokens.slice(count), lexed.links);
    if (count === 0) return;
    // By length: the lexer changes line ends in the raw text of a lazy quote.
    const length = lexed.tokens.slice(0, count).reduce((sum, token) => sum + token.raw.length, 0);
    const source = this.#tail.slice(0, length);
    this.#tail = this.#tail.slice(length);
    this.#finishedLinks = mergeLinks(this.#finishedLinks, source);
    this.#parts.push({ source, mayRefer: source.includes("["), firstCode: this.#tailCode, rows: undefined });
    this.#tailCode += countCodes(lexed.tokens.slice(0, count));
  }

  /** A definition may follow its references. */
  #useLinks(links: Links): void {
    if (sameLinks(this.#links, links)) return;
    this.#links = links;
    this.#tailRows.clear();
    let first = this.#parts.length;
    this.#parts.forEach((part, index) => {
      if (!part.mayRefer) return;
      part.rows = undefined;
      first = Math.min(first, index);
    });
    if (first < this.#appendedParts) this.#replace();
  }

  #appendFinished(): void {
    this.#rows.length = this.#appendedRows;
    for (; this.#appendedParts < this.#parts.length; this.#appendedParts += 1) {
      const part = this.#parts[this.#appendedParts];
      if (part === undefined) break;
      part.rows ??= this.#partRows(part);
      if (this.#rows.length > 0 && part.rows.length > 0) this.#rows.push("");
      for (const row of part.rows) this.#rows.push(row);
    }
    this.#appendedRows = this.#rows.length;
  }

  #partRows(part: FinishedPart): readonly string[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#appendTokens(lexBlocks(part.source, this.#links).tokens, false, part.firstCode);
    const made = this.#rows;
    this.#rows = rows;
    return made;
  }

  #appendTokens(tokens: readonly Token[], isTail: boolean, firstCode: number): void {
    const codes = { next: firstCode };
    let before: Token | undefined;
    const drawn = new Map<string, DrawnToken>();
    for (const token of tokens) {
      const isLast = isTail && token === tokens.at(-1);
      const rows = isTail && !isLast ? this.#unchangedRows(token, codes, drawn) : this.#tokenRows(token, isLast, codes);
      if (rows.length > 0 && this.#rows.length > 0 && !isTight(before, token)) this.#rows.push("");
      for (const row of rows) this.#rows.push(row);
      before = token;
    }
    if (isTail) this.#tailRows = drawn;
  }

  #unchangedRows(token: Token, codes: { next: number }, drawn: Map<string, DrawnToken>): readonly string[] {
    const key = `${codes.next} ${token.type} ${token.raw}`;
    const known = this.#tailRows.get(key) ?? { rows: this.#tokenRows(token, false, codes), nextCode: codes.next };
    codes.next = known.nextCode;
    drawn.set(key, known);
    return known.rows;
  }

  #tokenRows(token: Token, isLast: boolean, codes: { next: number }): readonly string[] {
    const { theme, isCut = false, cwd = "" } = this.#options;
    const options = { theme, isCut, cwd, codes, width: this.#width, isDone: this.#isDone || !isLast };
    if (!options.isDone && token.type === "code" && isOpenFence(token as Tokens.Code)) {
      return this.#openCode.render(token as Tokens.Code, { ...options, number: codes.next, isOpen: true });
    }
    return blockRows(token, isLast ? { ...options, growing: this.#growing } : options);
  }
}

/** Closes open markup of the last block for rendering. */
function asItWillRead(tokens: readonly Token[], links: Links): readonly Token[] {
  const last = tokens.at(-1);
  if (last === undefined || last.type === "code" || last.type === "html") return tokens;
  const shown = closeOpenInline(last.raw);
  return shown === last.raw ? tokens : [...tokens.slice(0, -1), ...lexBlocks(shown, links).tokens];
}

/** The first definition of a label wins. */
function mergeLinks(known: Links, source: string): Links {
  return source.includes("]:") ? lexBlocks(source, known).links : known;
}

function sameLinks(a: Links, b: Links): boolean {
  const [one, two] = [Object.keys(a), Object.keys(b)];
  return a === b || (one.length === two.length && one.every((label) => a[label]?.href === b[label]?.href));
}
