/** Choices that are read out with numbers, and the numbers that are typed for them. */
import type { LineOutput } from "./line-output.ts";

export interface NumberedChoice<Value> {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: Value;
  /** Typed instead of the number. */
  readonly letter?: string;
}

/** Marks that are for the eye only. */
const LEADING_MARK = /^[^\p{L}\p{N}\p{P}]+\s+/u;

export function numberedChoices(choices: readonly NumberedChoice<unknown>[], lines: LineOutput, how: string): void {
  for (const [index, { label, description, letter }] of choices.entries()) {
    const more = description === undefined || description === "" ? "" : `, ${description}`;
    lines.write(
      `${index + 1}${letter === undefined ? "" : ` or ${letter}`}: ${label.replace(LEADING_MARK, "")}${more}`,
    );
  }
  lines.write(how);
}

/** One number or several with commas; each counts once. */
export function readNumbers<Value>(
  line: string,
  choices: readonly NumberedChoice<Value>[],
): { readonly chosen: readonly NumberedChoice<Value>[] } | { readonly why: string } {
  const word = line.trim().toLowerCase();
  const named = choices.find(
    ({ label, letter }) => letter === word || (letter !== undefined && label.toLowerCase() === word),
  );
  if (named !== undefined) return { chosen: [named] };
  const range = choices.length === 1 ? "The only number is 1." : `Numbers go from 1 to ${choices.length}.`;
  if (!/^\d{1,6}(?:[\s,]+\d{1,6})*$/.test(word)) return { why: `That is no number. ${range}` };
  const chosen: NumberedChoice<Value>[] = [];
  for (const part of word.split(/[\s,]+/)) {
    const choice = choices[Number(part) - 1];
    if (choice === undefined) return { why: `There is no ${Number(part)}. ${range}` };
    if (!chosen.includes(choice)) chosen.push(choice);
  }
  return { chosen };
}
