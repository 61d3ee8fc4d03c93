/**
 * Who a message is for. The only place that reads `@member` out of a text.
 * Leading mentions address; later ones are text. An explicit `to` wins, and then nothing in the text is read.
 */

import { RoundtableError } from "../../protocol/index.ts";
import { nearNames } from "../../kit/text/nearest-name.ts";

/** The name that stands for everyone, in commands, mentions and queue items; no member may carry it. */
export const EVERYONE = "all";

export interface Address {
  readonly toAll: boolean;
  /** The names given, without repeats; empty when the message is for everyone. */
  readonly names: readonly string[];
  /** The text without the mentions that addressed it. */
  readonly text: string;
}

const LEADING_MENTION = /^\s*@([A-Za-z][A-Za-z0-9_-]{0,31})([,:;]?)(?=\s|$)/;

interface Addressed {
  readonly text: string;
  readonly to?: readonly string[] | undefined;
}

/** Throws `unknown_member` with the nearest names for a name that is not among `known`. A mention of `file` is text. */
export function addressOf(message: Addressed, known: readonly string[], file?: string): Address {
  if (message.to !== undefined && message.to.length > 0) {
    return addressed(message.to, known, message.text);
  }
  const { names, rest } = leadingNames(message.text, file);
  if (names.length === 0) return { toAll: true, names: [], text: message.text };
  try {
    return addressed(names, known, rest.replace(/^\s+/, ""));
  } catch (error) {
    throw error instanceof RoundtableError ? withHint(error) : error;
  }
}

/** The first name a text begins with that nobody has; it may be that of a file. */
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

/** Whoever meant no member must not have to guess how it is said. */
function withHint({ code, message, hint = "" }: RoundtableError): RoundtableError {
  return new RoundtableError(code, message, { hint: `${hint} To send it as text, put a word before the @.`.trim() });
}

export function unknownMember(name: string, known: readonly string[]): RoundtableError {
  const near = nearNames(name, known);
  return new RoundtableError("unknown_member", `There is no member "${name}" in this session.`, {
    hint:
      known.length === 0
        ? "Nobody is seated; add a member first."
        : `Did you mean ${near.map((one) => `@${one}`).join(" or ")}? Seated: ${known.join(", ")}.`,
  });
}

/** A text may begin with a file as well as with a member, since `@` offers both: who is not known is looked for among files. */
/** Of the directory of the session, best first. */
type FindFiles = (query: string, limit: number) => Promise<readonly string[]>;

/** As many as may stand before a directory's own. */
const CANDIDATES_MAX = 1_000;

/** The name at the beginning of the text that is a file or a directory and no member. Where files cannot be had it is none. */
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
