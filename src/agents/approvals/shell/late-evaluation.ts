/**
 * Text that the shell evaluates a second time when it runs: prompts, indirect names, subscripts, arithmetic. A command
 * can hide in there that no grammar sees.
 */
import type { ArithmeticWord, ParameterExpansionPart, SyntaxNode, Word } from "unbash";
import { readArg } from "./arg.ts";
import { opaque, shown, type Finding } from "./finding.ts";

const NUMBER = /^[-+]?(?:\d+|0[xX][\da-fA-F]+|\d+#\w+)$/;
const NAME = /^[A-Za-z_]\w*$/;
const COMPARES_NUMBERS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

export function isNumber(text: string | null): boolean {
  return text !== null && NUMBER.test(text.trim());
}

/** Names whose values are evaluated as arithmetic; what is assigned to them in the same line matters. */
export function arithmeticNames(node: SyntaxNode): readonly string[] {
  if (node.type === "TestBinary" && COMPARES_NUMBERS.has(node.operator)) {
    return [node.left, node.right].flatMap(({ text }) => namesIn(text));
  }
  return node.type === "ArithmeticWord" ? namesIn(node.value) : [];
}

function namesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

export function findLateEvaluation(node: SyntaxNode): Finding | null {
  switch (node.type) {
    case "ParameterExpansion":
      return inExpansion(node);
    case "Slice":
      return [node.offset, node.length].every((word) => word === undefined || isPlainIndex(word))
        ? null
        : late("a slice");
    case "ArithmeticWord":
      return isPlainArithmetic(node) ? null : late(`arithmetic (${shown(node.value)})`);
    case "Assignment":
      return node.index === undefined || isPlainIndex(node.index) ? null : late("a subscript");
    case "TestUnary": {
      const { text } = readArg(node.operand);
      const isLate = (node.operator === "-v" || node.operator === "-R") && (text === null || text.includes("["));
      return isLate ? late(`test ${node.operator}`) : null;
    }
    case "TestBinary": {
      const isLate = COMPARES_NUMBERS.has(node.operator) && ![node.left, node.right].every(isNumberOrVariable);
      return isLate ? late(`a comparison with ${node.operator}`) : null;
    }
    default:
      return null;
  }
}

function inExpansion({ prefix, operation, index, text }: ParameterExpansionPart): Finding | null {
  if (operation?.type === "Transform" || operation?.type === "Unknown") return late(shown(text));
  const isKeys = index !== undefined && (index.value === "@" || index.value === "*");
  if (prefix === "!" && operation?.type !== "Names" && !isKeys) return late(shown(text));
  return index === undefined || isKeys || isPlainIndex(index) ? null : late("a subscript");
}

function isPlainIndex(word: Word): boolean {
  const { text } = readArg(word);
  return isNumber(text);
}

function isPlainArithmetic({ value, parts }: ArithmeticWord): boolean {
  if (parts === undefined) return isNumber(value) || NAME.test(value);
  return parts.every(
    (part) =>
      part.type === "SimpleExpansion" ||
      (part.type === "ParameterExpansion" && part.index === undefined && part.operation === undefined),
  );
}

function isNumberOrVariable(word: Word): boolean {
  const { text, source } = readArg(word);
  return isNumber(text) || /^"?\$(?:\w+|[#?$!]|\{#?\w+(?:\[[@*]\])?\})"?$/.test(source);
}

function late(what: string): Finding {
  return opaque(`${what} is evaluated only when it runs`);
}
