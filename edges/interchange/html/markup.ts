/**
 * Untrusted Markdown as HTML, without a DOM sanitiser: only tags made here come out, all text and addresses
 * are escaped, raw HTML is text, and no image is fetched.
 */
import { Parser, Renderer, type Token, type Tokens } from "marked";
import { foldDetails } from "../../../src/kit/text/fold-details.ts";
import { markFootnotes } from "../../../src/kit/text/footnotes.ts";
import { hiddenHost } from "../../../src/kit/text/hidden-host.ts";
import { lexMarkdown } from "../readable/lex-markdown.ts";
import { escapeHtml } from "./escape.ts";

const LINK = /^(?:https?:\/\/|mailto:)/i;
const LINK_CHARS_MAX = 2_048;
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const DATA_CHARS_MAX = 2 * 1024 * 1024;

class PlainRenderer extends Renderer {
  /** Images of the link being rendered. */
  private ofLink: Tokens.Image[] | undefined;

  /** `<br>` breaks lines. Other HTML is shown as written. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return /^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escapeHtml(text);
  }

  override text(token: Tokens.Text | Tokens.Escape | Tokens.Tag): string {
    if ("tokens" in token && token.tokens !== undefined) return this.parser.parseInline(token.tokens);
    // The lexer has escaped some texts already, and entities such as `&nbsp;` are Markdown's.
    const html = escapeHtml(token.text)
      .replaceAll(/&amp;([A-Za-z]{2,8};)/g, "&$1")
      .replaceAll("&amp;#39;", "&#39;");
    return markFootnotes(html);
  }

  override code({ text, lang = "" }: Tokens.Code): string {
    const language = /^[\w+#.-]{1,30}/.exec(lang)?.[0];
    const label = language === undefined ? "" : `<span class="language">${escapeHtml(language)}</span>`;
    return `<div class="code">${label}<pre><code>${escapeHtml(text)}</code></pre></div>\n`;
  }

  override codespan({ text }: Tokens.Codespan): string {
    return `<code>${escapeHtml(text)}</code>`;
  }

  /** Always below the heading with the speaker's name. */
  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(6, depth + 3);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
  }

  /** Its images follow it, since links cannot be nested. */
  override link({ href, tokens }: Tokens.Link): string {
    if (!LINK.test(href) || href.length > LINK_CHARS_MAX) return this.parser.parseInline(tokens);
    const pictures: Tokens.Image[] = [];
    this.ofLink = pictures;
    try {
      const linkText = this.parser.parseInline(tokens);
      this.ofLink = undefined;
      const away = hiddenHostOf(linkText, href);
      const link = linkTo(
        href,
        away === undefined ? linkText : `${linkText} <span class="away">(${escapeHtml(away)})</span>`,
      );
      return [link, ...pictures.map((picture) => this.image(picture))].join(" ");
    } finally {
      this.ofLink = undefined;
    }
  }

  /** A remote image becomes a link that shows its address. */
  override image(picture: Tokens.Image): string {
    const { href, text } = picture;
    if (this.ofLink !== undefined) {
      this.ofLink.push(picture);
      return escapeHtml(text === "" ? "image" : text);
    }
    if (href.length <= DATA_CHARS_MAX && DATA_IMAGE.test(href)) return `<img alt="${escapeHtml(text)}" src="${href}">`;
    const label = `[image] ${escapeHtml(text)}`.trimEnd();
    if (!/^https?:\/\//i.test(href) || href.length > LINK_CHARS_MAX) return label;
    return linkTo(href, `${label} <span class="away">${escapeHtml(href)}</span>`);
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? "☑ " : "☐ ";
  }

  override list(token: Tokens.List): string {
    const body = token.items.map((item) => this.listitem(item)).join("");
    if (!token.ordered) return `<ul>\n${body}</ul>\n`;
    const start = Number(token.start);
    const from = Number.isSafeInteger(start) && start !== 1 ? ` start="${start}"` : "";
    return `<ol${from}>\n${body}</ol>\n`;
  }

  override tablecell({ tokens, header, align }: Tokens.TableCell): string {
    const tag = header ? "th" : "td";
    const side = align === "center" || align === "right" ? ` class="${align}"` : "";
    return `<${tag}${side}>${this.parser.parseInline(tokens)}</${tag}>\n`;
  }
}

let renderMath: ((source: string) => string | undefined) | undefined;

/** Enables formulas: loading KaTeX takes longer than most exports. */
export async function loadMath(): Promise<void> {
  ({ renderMath } = await import("../../../src/kit/text/render-math.ts"));
}

const parserOptions = {
  gfm: true,
  renderer: new PlainRenderer(),
  extensions: {
    renderers: { math: ({ raw }: Tokens.Generic) => renderMath?.(raw) ?? escapeHtml(raw) },
    childTokens: {},
  },
};

/** Never throws: unparsable text is shown as written. */
export function markupOf(text: string): string {
  const tokens = lexMarkdown(text);
  if (tokens === undefined) return plainText(text);
  try {
    return /<details/i.test(text) ? withFolds(tokens) : draw(tokens);
  } catch {
    // Nested deeper than the parser supports.
    return plainText(text);
  }
}

function draw(tokens: readonly Token[]): string {
  return Parser.parse([...tokens], parserOptions);
}

interface OneToken {
  readonly kind: "token";
  readonly token: Token;
}
type Item = ReturnType<typeof foldDetails<OneToken>>[number];

/** `<details>` is folded as on the page; text beside the tags in their block is separate Markdown. */
function withFolds(tokens: readonly Token[]): string {
  const blocks = tokens.map((token) =>
    token.type === "html" || token.type === "paragraph"
      ? { kind: "markup" as const, source: token.raw, token }
      : { kind: "token" as const, token },
  );
  const drawItem = (item: Item): string => {
    if (item.kind === "fold") {
      const open = item.isOpen ? " open" : "";
      return `<details${open}><summary>${escapeHtml(item.summary)}</summary>\n${item.items.map(drawItem).join("")}</details>\n`;
    }
    if ("token" in item) return draw([item.token]);
    const lexed = lexMarkdown(item.source);
    return lexed === undefined ? plainText(item.source) : draw(lexed);
  };
  return foldDetails<OneToken>(blocks).map(drawItem).join("");
}

function plainText(text: string): string {
  return `<pre class="plain">${escapeHtml(text)}</pre>\n`;
}

function linkTo(href: string, inside: string): string {
  return `<a href="${addressOf(href)}" rel="noopener noreferrer nofollow">${inside}</a>`;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

/** The text is our HTML. With an unknown named entity it may read as anything. */
function hiddenHostOf(linkText: string, href: string): string | undefined {
  const seen = linkText
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll(/&([A-Za-z]{2,8});/g, (whole, name: string) => NAMED[name] ?? whole);
  return hiddenHost(/&[A-Za-z]{2,8};/.test(seen) ? "https://" : seen, href);
}

/** Safe also for parsers that mishandle quotes. */
function addressOf(href: string): string {
  return escapeHtml(href.replaceAll(/\s/g, "%20"));
}
