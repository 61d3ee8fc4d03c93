/**
 * What is data to bash and a command to another shell. An agent may use any: `sh` is dash on Debian and Ubuntu, zsh is
 * the shell of macOS.
 */
import type { Assignment, Command, SyntaxNode, WordPart, DoubleQuotedChild, Word } from "unbash";
import { opaque, shown, type Finding } from "./finding.ts";

export function findReadOtherwise(node: SyntaxNode): Finding | undefined {
  const text = readOtherwise(node);
  return text === undefined ? undefined : opaque(`other shells read ${shown(text)} differently`);
}

/**
 * Whether quotes in `${x:-'…'}` quote depends on the operator, on quotes and here-documents around it, and on the shell.
 * What is data to one is a command to another.
 */
export function findQuoteInExpansion(node: SyntaxNode): Finding | undefined {
  const isQuoted = node.type === "SingleQuoted" || node.type === "AnsiCQuoted" || node.type === "LocaleString";
  if (!isQuoted && node.type !== "ProcessSubstitution") return undefined;
  return !isQuoted || /[$`"{};|&<>()\n]/.test(node.text.replace(/^\$/, ""))
    ? opaque(`shells read ${shown(node.text)} differently in an expansion`)
    : undefined;
}

function readOtherwise(node: SyntaxNode): string | undefined {
  switch (node.type) {
    // Without this quoting the text ends at the escaped quote: `$'a\'; rm x; #'`.
    case "Command":
      return readOtherwiseIn(node);
    // In zsh `>! file` writes file.
    case "Redirect":
      return node.target?.text.startsWith("!") === true ? `${node.operator}${node.target.text}` : undefined;
    case "AnsiCQuoted":
      return node.text.includes(String.raw`\'`) ? node.text : undefined;
    case "HereDocDelimiter":
      return /[$`]/.test(node.text) ? node.text : undefined;
    case "HereDocBody":
      return node.parts?.some(isUnclosed) === true ? node.text : undefined;
    case "ArithmeticExpansion":
      return node.text.startsWith("$[") ? node.text : undefined;
    // A subshell in a subshell: `((sh<x))`.
    case "ArithmeticCommand":
      return /^\s*\w+\s*(?:\+\+|--|[-+*]?=\s*\d+)\s*$/.test(node.body) ? undefined : `((${node.body}))`;
    // A command named `[[`, and operators of the shell.
    case "TestLogical":
      return `[[ … ${node.operator} … ]]`;
    case "TestBinary":
      return /^[<>]$/.test(node.operator) || (node.operator === "=~" && /[|&;<>]/.test(node.right.text))
        ? `[[ … ${node.operator} ${node.right.text} ]]`
        : undefined;
    // Qualifiers of a zsh pattern run code: `ls *(e:'rm x':)`.
    case "ExtendedGlob":
      return node.text;
    case "Word":
      return /\$[=^]*~/.test(node.text) || isSplit(node.parts ?? [node]) || hasSubscript(node.parts ?? [])
        ? node.text
        : undefined;
    case "DoubleQuoted":
      return hasSubscript(node.parts) || isSplit(node.parts) ? node.text : undefined;
    case "Assignment":
      return OF_ZSH.test(node.name) && (node.append === true || node.index !== undefined || node.value.type !== "Word")
        ? node.text
        : undefined;
    default:
      return undefined;
  }
}

/**
 * To dash `echo a &>x rm y` is `echo a &` and `>x rm y`, and a program named `CI+=x` or `CI[0]=x` may lie in the
 * directory.
 */
function readOtherwiseIn({ name, prefix, suffix }: Command): string | undefined {
  const redirected = [...prefix, ...suffix].find((one) => one.type === "Redirect" && one.operator.startsWith("&>"));
  const behind = suffix.find(
    ({ type, pos }) => type !== "Redirect" && redirected !== undefined && pos > redirected.pos,
  );
  if (behind !== undefined) return "&>";
  const assigned = prefix.filter((one) => one.type === "Assignment").find(isOfBash);
  const isProgram = assigned !== undefined && (name !== undefined || /[/$`]/.test(assigned.text));
  return isProgram ? assigned.text : undefined;
}

/** In dash, a construct left open in a here-document continues after it. */
function isUnclosed({ type, text }: WordPart): boolean {
  return type === "Literal" ? /(?<!\\)(?:\\\\)*(?:`|\$[({[])/.test(text) : text.endsWith("\n");
}

function isOfBash({ append, index, value }: Assignment): boolean {
  return (append === true || index !== undefined) && value.type === "Word";
}

/** zsh evaluates the text in the brackets: `$x['$(rm x)']`. */
function hasSubscript(parts: readonly (WordPart | DoubleQuotedChild)[]): boolean {
  return parts.some((part, at) => part.type === "SimpleExpansion" && parts[at + 1]?.text.startsWith("[") === true);
}

/** What these tables of zsh are set to becomes commands. */
const OF_ZSH = /^(?:(?:dis_)?(?:functions|[gs]?aliases)|commands|options)$/;

/** In zsh `$=x` is the words in a variable: a program, or options. */
function isSplit(parts: readonly Pick<WordPart | Word, "type" | "text">[]): boolean {
  return parts.some(({ type, text }) => (type === "Literal" || type === "Word") && /(?<!\\)\$[=^]/.test(text));
}
