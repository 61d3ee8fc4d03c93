/**
 * Who a message is for. The only code that reads `@member` out of a text. Leading mentions address members; later ones
 * are text. An explicit `to` wins, and then the text is not parsed.
 */

import { RoundtableError } from "../../protocol/index.ts";
import { nearNames } from "../../kit/text/nearest-name.ts";

/** Name for everyone in commands, mentions and queue items; no member may have it. */
export const EVERYONE = "all";

export interface Address {
  readonly toAll: boolean;
  /** Unique names; empty when the message is for everyone. */
  readonly names: readonly string[];
  /** The text without the leading mentions. */
  readonly text: string;
}

const LEADING_MENTION = /^\s*@([A-Za-z][A-Za-z0-9_-]{0,31})([,:;]?)(?=\s|$)/;

interface Addressed {
  readonly text: string;
  readonly to?: readonly string[] | undefined;
}

/**
 * Throws `unknown_member` with suggestions for a name that is not in `known`. A mention of `file` is text. A client that
 * cut an emoji in half sends a lone surrogate, and strict JSON parsers of agents and model servers would refuse every
 * prompt that contains it.
 */
export function addressOf(message: Addressed, known: readonly string[], file?: string): Address {
  const text = message.text.toWellFormed();
  if (message.to !== undefined && message.to.length > 0) return addressed(message.to, known, text);
  const { names, rest } = leadingNames(text, file);
  if (names.length === 0) return { toAll: true, names: [], text };
  try {
    return addressed(names, known, rest.replace(/^\s+/, ""));
  } catch (error) {
    throw error instanceof RoundtableError ? withHint(error) : error;
  }
}

/** The first leading mention that is not a member; it may be a file. */
export function unknownMentionIn({ text, to = [] }: Addressed, known: readonly string[]): string | undefined {
  if (to.length > 0) return undefined;
  return leadingNames(text).names.find((name) => name !== EVERYONE && !known.includes(name.toLowerCase()));
}

function leadingNames(text: string, file?: string): { names: string[]; rest: string } {
  const names: string[] = [];
  let rest = text;
  for (let match = LEADING_MENTION.exec(rest); match !== null; match = LEADING_MENTION.exec(rest)) {
    const [whole, name = ""] = match;
    if (name === file) break;
    names.push(name);
    rest = rest.slice(whole.length);
  }
  return { names, rest };
}

function addressed(given: readonly string[], known: readonly string[], text: string): Address {
  const names = [...new Set(given.map((name) => name.replace(/^@/, "").toLowerCase()))];
  if (names.includes(EVERYONE)) return { toAll: true, names: [], text };
  for (const name of names) {
    if (!known.includes(name)) throw unknownMember(name, known);
  }
  return { toAll: false, names, text };
}

/** Hint on how to write a leading @ that addresses nobody. */
function withHint({ code, message, hint = "" }: RoundtableError): RoundtableError {
  return new RoundtableError(code, message, { hint: `${hint} To send it as text, put a word before the @.`.trim() });
}

export function unknownMember(name: string, known: readonly string[]): RoundtableError {
  const near = nearNames(name, known, { slipsMax: 2 });
  const guess = near.length === 0 ? "" : `Did you mean ${near.map((one) => `@${one}`).join(" or ")}? `;
  return new RoundtableError("unknown_member", `There is no member "${name}" in this session.`, {
    hint: known.length === 0 ? "The session has no members; add one first." : `${guess}Members: ${known.join(", ")}.`,
  });
}

/** Files of the session's directory, best match first. */
type FindFiles = (query: string, limit: number) => Promise<readonly string[]>;

/** Upper bound of matches that may rank before the file itself. */
const CANDIDATES_MAX = 1_000;

/**
 * The leading mention that is a file or directory rather than a member: `@` completes both. Undefined when files cannot
 * be listed.
 */
export async function fileMentionIn(
  message: { readonly text: string; readonly to?: readonly string[] | undefined },
  known: readonly string[],
  find: FindFiles,
): Promise<string | undefined> {
  const name = unknownMentionIn(message, known);
  if (name === undefined) return undefined;
  const files = await find(name, CANDIDATES_MAX).catch(() => []);
  return files.some((file) => file === name || file.startsWith(`${name}/`)) ? name : undefined;
}
