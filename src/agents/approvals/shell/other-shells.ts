/**
 * What is data to bash and a command to another shell. An agent may use any: `sh` is dash on Debian and Ubuntu, zsh is
 * the shell of macOS.
 */
import type { SyntaxNode, WordPart, DoubleQuotedChild } from "unbash";
import { opaque, shown, type Finding } from "./finding.ts";

export function findReadOtherwise(node: SyntaxNode): Finding | undefined {
  const text = readOtherwise(node);
  return text === undefined ? undefined : opaque(`other shells read ${shown(text)} as something else`);
}

function readOtherwise(node: SyntaxNode): string | undefined {
  switch (node.type) {
    // Without this quoting the text ends at the escaped quote: `$'a\'; rm x; #'`.
    case "AnsiCQuoted":
      return node.text.includes(String.raw`\'`) ? node.text : undefined;
    case "HereDocDelimiter":
      return /[$`]/.test(node.text) ? node.text : undefined;
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
      return /\$[=^]*~/.test(node.text) || hasSubscript(node.parts ?? []) ? node.text : undefined;
    case "DoubleQuoted":
      return hasSubscript(node.parts) ? node.text : undefined;
    default:
      return undefined;
  }
}

/** zsh evaluates the text in the brackets: `$x['$(rm x)']`. */
function hasSubscript(parts: readonly (WordPart | DoubleQuotedChild)[]): boolean {
  return parts.some((part, at) => part.type === "SimpleExpansion" && parts[at + 1]?.text.startsWith("[") === true);
}
