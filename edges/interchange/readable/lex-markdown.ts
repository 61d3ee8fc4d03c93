/** Parses untrusted Markdown into blocks. Undefined for a text that is too long. */
import type { Token, Tokens } from "marked";
import { lexBlocks, NO_LINKS } from "../../../src/kit/text/markdown-blocks.ts";

const CHARS_MAX = 400_000;

export function lexMarkdown(text: string): readonly Token[] | undefined {
  return text.length > CHARS_MAX ? undefined : lexBlocks(text, NO_LINKS).tokens;
}

/** Whether a token of one of these types occurs, at any depth. */
export function hasAny(tokens: readonly Token[], types: readonly string[]): boolean {
  return tokens.some(
    (token) => types.includes(token.type) || childrenOf(token).some((children) => hasAny(children, types)),
  );
}

function childrenOf(token: Token): Token[][] {
  const { tokens, items, header, rows } = token as Tokens.Generic & {
    items?: Token[];
    header?: { tokens: Token[] }[];
    rows?: { tokens: Token[] }[][];
  };
  const cells = [...(header ?? []), ...(rows ?? []).flat()].map((cell) => cell.tokens);
  return [tokens ?? [], items ?? [], ...cells];
}
