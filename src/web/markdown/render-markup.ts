/**
 * One part of a text as nodes. What a member wrote reaches the page by this way only: Markdown without raw HTML, then the
 * sanitiser, then nodes. No image is fetched by itself, no link leads anywhere but to the web or to mail, and nothing
 * that comes out can be operated like a control of the page.
 */
import createSanitiser from "dompurify";
import { Parser, Renderer, type Token, type Tokens } from "marked";
import { codeFrame } from "./code-frame.ts";
import { markFootnotes } from "../../kit/text/footnotes.ts";
import { hiddenHost } from "../../kit/text/hidden-host.ts";
import { lexBlocks, type Links } from "../../kit/text/markdown-blocks.ts";
import { MATH_ATTRIBUTES, MATH_TAGS } from "../../kit/text/math-tags.ts";

/** With slashes: `http:/x` would lead to a path of this page. */
const LINK = /^(?:https?:\/\/|mailto:)/i;
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=]+$/;

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => escapes[char] ?? char);
}

/** Maximum size of an inline image. */
const DATA_CHARS_MAX = 2 * 1024 * 1024;

function whyNotShown(href: string): string {
  if (href.length > DATA_CHARS_MAX) return "too large";
  return /^data:image\/svg/i.test(href) ? "SVG" : "not a PNG, JPEG, GIF or WebP picture";
}

class PlainRenderer extends Renderer {
  /** Images of the current link. */
  private ofLink: Tokens.Image[] | undefined;

  /** `<br>` breaks lines. Other HTML is shown as written. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return /^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escape(text);
  }

  /** Footnotes stay where they were written, with their mark. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    return markFootnotes(super.text(token));
  }

  /** All headings are one level below the speaker's name, so that no level is skipped. */
  override heading({ tokens, depth }: Tokens.Heading): string {
    return `<h3 class="md-h${depth}">${this.parser.parseInline(tokens)}</h3>`;
  }

  /** Its images follow it: a clickable image could imitate a button. */
  override link({ href, tokens }: Tokens.Link): string {
    if (!LINK.test(href)) return this.parser.parseInline(tokens);
    const pictures: Tokens.Image[] = [];
    this.ofLink = pictures;
    try {
      const text = this.parser.parseInline(tokens);
      this.ofLink = undefined;
      return [`<a href="${escape(href)}">${text}</a>`, ...pictures.map((picture) => this.image(picture))].join(" ");
    } finally {
      this.ofLink = undefined;
    }
  }

  /** An external image becomes a link to it. */
  override image(picture: Tokens.Image): string {
    const { href, text } = picture;
    const alt = escape(text === "" ? "image" : text);
    if (this.ofLink !== undefined) {
      this.ofLink.push(picture);
      return alt;
    }
    if (href.startsWith("data:")) {
      if (DATA_IMAGE.test(href) && href.length <= DATA_CHARS_MAX) return `<img src="${href}" alt="${alt}">`;
      return `<span class="image-away">${alt} (not shown: ${whyNotShown(href)})</span>`;
    }
    if (!/^https?:\/\//i.test(href)) return `<span class="image-away">${alt}</span>`;
    return `<a class="image-away" href="${escape(href)}">${alt} <span class="image-url">${escape(href)}</span></a>`;
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    // Drawn as a box; the character is for those who hear or copy it.
    return `<span class="check${checked ? " done" : ""}">${checked ? "☑" : "☐"} </span>`;
  }
}

let renderMath: ((source: string) => string | undefined) | undefined;
let loading: Promise<void> | undefined;

/** A formula that cannot be drawn, or not yet, is shown as written. */
function formula(raw: string): string {
  const drawn = renderMath?.(raw);
  if (drawn === undefined) return `<span class="math">${escape(raw)}</span>`;
  return `<span class="math drawn">${drawn}</span>`;
}

/** Undefined when every formula that can be drawn is; else resolves when they can be. */
export function loadMath(root: ParentNode): Promise<void> | undefined {
  if (renderMath !== undefined || root.querySelector(".math") === null) return undefined;
  loading ??= import("../../kit/text/render-math.ts").then(
    (module) => {
      renderMath = module.renderMath;
    },
    () => {
      // Formulas stay as written; the next one tries again.
      loading = undefined;
    },
  );
  return loading;
}

const parserOptions = {
  gfm: true,
  renderer: new PlainRenderer(),
  extensions: {
    renderers: { math: ({ raw }: Tokens.Generic) => formula(raw) },
    childTokens: {},
  },
};

const sanitiser = createSanitiser(window);

sanitiser.addHook("afterSanitizeAttributes", (node) => {
  // Second check: no external image is ever fetched.
  if (node.nodeName === "IMG" && !DATA_IMAGE.test(node.getAttribute("src") ?? "")) node.removeAttribute("src");
  if (node.nodeName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("title", node.getAttribute("href") ?? "");
});

const TAGS = [
  "p",
  "br",
  "strong",
  "em",
  "del",
  "code",
  "pre",
  "blockquote",
  "ul",
  "ol",
  "li",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
  "h3",
  "hr",
  "a",
  "span",
  "img",
  ...MATH_TAGS,
];

/** Only for its type: the configuration applies to every part. */
const RETURNED = { RETURN_DOM_FRAGMENT: true } as const;

// Set once: parsing it per part took a quarter of the time.
sanitiser.setConfig({
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ["href", "class", "start", "align", "src", "alt", ...MATH_ATTRIBUTES],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|data:image\/)/i,
  // Only these non-URL attributes skip the URL check.
  ADD_URI_SAFE_ATTR: ["align", "start", ...MATH_ATTRIBUTES],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ...RETURNED,
});

/** The same source gives the same nodes, once formulas can be drawn. */
export function renderMarkup(source: string, links: Links): DocumentFragment {
  const fragment = sanitiser.sanitize(toHtml(source, links), RETURNED);
  for (const pre of fragment.querySelectorAll("pre")) {
    const code = pre.querySelector("code");
    const language = /^language-(\S+)$/.exec(code?.className ?? "")?.[1] ?? "";
    pre.replaceWith(codeFrame(code?.textContent ?? "", language));
  }
  for (const table of fragment.querySelectorAll("table")) frameTable(table);
  for (const link of fragment.querySelectorAll<HTMLAnchorElement>("a:not(.image-away)")) showHost(link);
  return fragment;
}

/** A label that looks like another address is followed by its real host. */
function showHost(link: HTMLAnchorElement): void {
  const hidden = hiddenHost(link.textContent ?? "", link.href);
  if (hidden === undefined) return;
  const host = document.createElement("span");
  host.className = "link-host";
  host.append(` (${hidden})`);
  link.append(host);
}

function toHtml(source: string, links: Links): string {
  try {
    const { tokens } = lexBlocks(source, links);
    return Parser.parse([...tokens] as Token[], parserOptions);
  } catch {
    // Nested too deeply for the parser: shown as written.
    return `<p>${escape(source)}</p>`;
  }
}

/** Wide tables scroll on their own, also by keyboard. */
function frameTable(table: HTMLTableElement): void {
  const frame = document.createElement("div");
  frame.className = "table";
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Table");
  table.replaceWith(frame);
  frame.append(table);
}
