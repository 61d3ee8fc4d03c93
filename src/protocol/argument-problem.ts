/** Describes what is wrong with the arguments of a tool call, or with a file, for its author. */
import type * as z from "zod";

type Issue = z.core.$ZodIssue;

/** More would not help. */
const PROBLEMS_MAX = 3;

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** "`text` is missing; `wait` must be true or false." */
export function argumentProblem(error: z.ZodError, given: unknown, whole = "the arguments"): string {
  const problems = error.issues.slice(0, PROBLEMS_MAX).map((issue) => describe(issue, given, whole));
  return `${problems.join("; ")}.`;
}

function describe(issue: Issue, given: unknown, whole: string): string {
  const subject = issue.path.length === 0 ? whole : `\`${nameOf(issue.path)}\``;
  if (issue.code === "custom") return issue.path.length === 0 ? issue.message : `${subject}: ${issue.message}`;
  if (issue.path.length > 0 && valueAt(given, issue.path) === undefined) return `${subject} is missing`;
  if (issue.code === "unrecognized_keys")
    return `there is no argument \`${nameOf([...issue.path, issue.keys[0] ?? ""])}\``;
  const inner = issue.code === "invalid_union" ? insideOf(issue) : undefined;
  if (inner !== undefined) return describe(inner, given, whole);
  const rule = ruleOf(issue);
  return rule === undefined ? `${subject} is not valid: ${issue.message}` : `${subject} must ${rule}`;
}

/** Undefined when the issue's own message says more. */
function ruleOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `be ${typeName(issue.expected)}`;
    case "invalid_value":
      return `be ${alternatives(issue.values.map((value) => JSON.stringify(value) ?? String(value)))}`;
    case "invalid_union": {
      const types = issue.errors.flatMap(([first]) =>
        first?.code === "invalid_type" ? [typeName(first.expected)] : [],
      );
      return types.length === 0 ? undefined : `be ${alternatives([...new Set(types)])}`;
    }
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "not be empty";
      return limit(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return limit(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    default:
      return undefined;
  }
}

function limit(origin: string, bound: string, count: number | bigint): string {
  if (origin === "string") return `have ${bound} ${count} characters`;
  return origin === "array" ? `have ${bound} ${count} entries` : `be ${bound} ${count}`;
}

/** Of a value that has one of the allowed shapes, what is wrong inside it. */
function insideOf(issue: Extract<Issue, { code: "invalid_union" }>): Issue | undefined {
  const inner = issue.errors.flat().find(({ path }) => path.length > 0);
  return inner && { ...inner, path: [...issue.path, ...inner.path] };
}

function typeName(expected: string): string {
  return TYPES[expected] ?? expected;
}

function alternatives(all: readonly string[]): string {
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

/** "questions[0].title" */
function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    given,
  );
}
