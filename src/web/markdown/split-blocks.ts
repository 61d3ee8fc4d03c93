/**
 * Splits growing text into parts that render one by one. Finished parts never change, so that only the tail is parsed
 * again; the result equals that of the whole text.
 */
import type { Token, Tokens } from "marked";
import { finishedCount, lexBlocks, NO_LINKS, type Links } from "../../kit/text/markdown-blocks.ts";
import { closeOpenInline } from "../../kit/text/open-inline.ts";

export type Part =
  | { readonly kind: "markup"; readonly source: string }
  | { readonly kind: "code"; readonly code: string; readonly language: string; readonly isClosed: boolean };

export interface Parts {
  /** Grouped, so that extending a long text costs no more than a short one: all groups but the last stay identical. */
  readonly groups: readonly (readonly Part[])[];
  readonly links: Links;
}

interface PartSplitter {
  /** `isOpen` while more text may follow: open markup of the last part is closed. */
  update(text: string, options?: { readonly isOpen?: boolean }): Parts;
}

const GROUP_SIZE = 50;
/** Further definitions are ignored: each new one renders every part again. */
const LINKS_MAX = 100;

export function createPartSplitter(): PartSplitter {
  let finishedText = "";
  let finished: Parts["groups"] = [];
  let links: Links = NO_LINKS;
  let lastText: string | undefined;
  let wasOpen = false;
  let last: Parts = { groups: [], links };

  function begin(): void {
    finishedText = "";
    finished = [];
    links = NO_LINKS;
  }

  return {
    update(text, { isOpen = false } = {}) {
      if (text === lastText && isOpen === wasOpen) return last;
      if (!text.startsWith(finishedText)) begin();
      const tail = text.slice(finishedText.length);
      const lexed = lexBlocks(tail, links);
      const count = finishedCount(lexed.tokens, tail);
      const done = lexed.tokens.slice(0, count);
      finished = withParts(finished, done.flatMap(partsOf));
      finishedText += done.map(({ raw }) => raw).join("");
      links = bounded(links, done);
      const open = lexed.tokens.slice(count).flatMap(partsOf);
      const end = open.at(-1);
      if (isOpen && end?.kind === "markup") open[open.length - 1] = { ...end, source: closeOpenInline(end.source) };
      lastText = text;
      wasOpen = isOpen;
      last = { groups: withParts(finished, open), links: bounded(links, lexed.tokens) };
      return last;
    },
  };
}

/** A part keeps its index from the start, so that its rendering can stay. */
function withParts(groups: Parts["groups"], parts: readonly Part[]): Parts["groups"] {
  if (parts.length === 0) return groups;
  const all = [...groups];
  for (const part of parts) {
    const last = all.at(-1);
    if (last === undefined || last.length >= GROUP_SIZE) all.push([part]);
    else all[all.length - 1] = [...last, part];
  }
  return all;
}

function bounded(known: Links, tokens: readonly Token[]): Links {
  const definitions = tokens.filter(
    (token): token is Tokens.Def => token.type === "def" && known[token.tag] === undefined,
  );
  if (definitions.length === 0) return known;
  const all = [...Object.entries(known), ...definitions.map(({ tag, href, title }) => [tag, { href, title }] as const)];
  return Object.assign(Object.create(null), Object.fromEntries(all.slice(0, LINKS_MAX))) as Links;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

function partsOf(token: Token): Part[] {
  if (token.type === "space" || token.type === "def") return [];
  if (token.type !== "code" || token["codeBlockStyle"] === "indented") return [{ kind: "markup", source: token.raw }];
  const { text, lang = "", raw } = token as Tokens.Code;
  const fence = FENCE.exec(raw)?.[1] ?? "```";
  const isClosed = raw.trimEnd().endsWith(`\n${fence}`) || new RegExp(`\\n {0,3}${fence}+\\s*$`).test(raw);
  return [{ kind: "code", code: text, language: /^\S*/.exec(lang)?.[0] ?? "", isClosed }];
}
