/** One word of a shell line: the argument the program gets, as far as known before it runs. */
import type { DoubleQuotedChild, Word, WordPart } from "unbash";

export interface Arg {
  /** Unquoted; undefined when only the running shell knows (variables, substitutions, globs, braces, `~user`). */
  readonly text: string | undefined;
  /** Known prefix. */
  readonly start: string;
  /** As written. */
  readonly source: string;
  /** Starts with an unquoted `~/`, which the shell expands to the home directory. */
  readonly isHome: boolean;
}

/** Placeholder for arguments that another program adds. */
export const ADDED: Arg = { text: undefined, start: "", source: "…", isHome: false };

export function literalArg(text: string): Arg {
  return { text, start: text, source: text, isHome: false };
}

export function readArg(word: Word): Arg {
  const { text: source, value, parts } = word;
  const isTilde = source.startsWith("~");
  const isHome = isTilde && (source === "~" || source.startsWith("~/"));
  if (isTilde && !isHome) return { text: undefined, start: "~", source, isHome: false };
  if (parts === undefined) return { text: value, start: value, source, isHome };
  const { text, isWhole } = knownStart(parts);
  return { text: isWhole ? text : undefined, start: text, source, isHome };
}

/** An unknown word may be an option, unless its prefix rules that out. */
export function mayBeOption({ start, text }: Arg): boolean {
  if (start === "" && text === undefined) return true;
  return start.startsWith("-") || start.startsWith("+");
}

function knownStart(parts: readonly (WordPart | DoubleQuotedChild)[]): { text: string; isWhole: boolean } {
  let text = "";
  for (const part of parts) {
    const known = knownPart(part);
    text += known.text;
    if (!known.isWhole) return { text, isWhole: false };
  }
  return { text, isWhole: true };
}

function knownPart(part: WordPart | DoubleQuotedChild): { text: string; isWhole: boolean } {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { text: part.value, isWhole: true };
    case "DoubleQuoted":
    case "LocaleString":
      return knownStart(part.parts);
    default:
      return { text: "", isWhole: false };
  }
}
