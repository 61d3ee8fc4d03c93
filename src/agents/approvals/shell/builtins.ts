/** Builtins that set variables by name, or take an operand that the shell evaluates. */
import { type Arg } from "./arg.ts";
import { assignmentName, findAssignment } from "./assignments.ts";
import { opaque, type Finding } from "./finding.ts";

const DECLARE = new Set(["export", "declare", "typeset", "local", "readonly"]);
/** They make a shell read or forget names. */
const NAMING = new Set(["read", "unset", "getopts", "wait"]);

export function findBuiltin(name: string, args: readonly Arg[]): Finding | null {
  const operands = args.slice(1);
  if (DECLARE.has(name)) return inDeclaration(name, operands);
  if (name === "test" || name === "[") {
    return findEvaluated(name, operands, (before) => before === "-v" || before === "-R");
  }
  if (name === "printf") return findEvaluated(name, operands, (before) => before === "-v", "-v");
  if (NAMING.has(name)) {
    const finding = operands.map(({ text }) => (text === null ? null : findAssignment(text, false))).find(Boolean);
    const isUnclear = operands.some(({ text }) => text === null || text.includes("["));
    return isUnclear ? late(name) : (finding ?? null);
  }
  return null;
}

function inDeclaration(name: string, operands: readonly Arg[]): Finding | null {
  for (const arg of operands) {
    const { text, start } = arg;
    const named = assignmentName(arg);
    if (text === null && named === null) return late(name);
    if (/^[-+]\w*[ni]/.test(start) || /^\w+\[/.test(start)) return late(name);
    const finding = named === null ? null : findAssignment(named, false);
    if (finding !== null) return finding;
  }
  return null;
}

/** The operand of these options, attached or not, is a name that is evaluated. */
function findEvaluated(
  name: string,
  operands: readonly Arg[],
  isBefore: (text: string | null) => boolean,
  attached?: string,
): Finding | null {
  for (const [at, arg] of operands.entries()) {
    const isNamed = at > 0 && isBefore(operands[at - 1]?.text ?? null);
    const isAttached = attached !== undefined && arg.text !== attached && arg.start.startsWith(attached);
    const { text } = arg;
    if ((isNamed || isAttached) && (text === null || text.includes("["))) return late(name);
    const finding = isNamed && text !== null && attached !== undefined ? findAssignment(text, false) : null;
    if (finding !== null) return finding;
  }
  return null;
}

function late(name: string): Finding {
  return opaque(`${name} evaluates a name only when it runs`);
}
