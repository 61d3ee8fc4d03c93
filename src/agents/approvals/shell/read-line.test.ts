import { createRequire } from "node:module";
import { assert, constantFrom, array, property, string, oneof } from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../../test/rounds.ts";
import { ALLOW_BYPASSES } from "../../../../test/shell-lines/allow-bypasses.ts";
import { BENIGN } from "../../../../test/shell-lines/benign.ts";
import { PLAIN_SPELLINGS, UNCLEAR_SPELLINGS } from "../../../../test/shell-lines/denied-command.ts";
import { pathLines, READING_LINES } from "../../../../test/shell-lines/denied-path.ts";
import { judgeCall } from "../judge-call.ts";
import { parseRule } from "../rule.ts";
import { parseLine } from "./parse-line.ts";
import { readLine } from "./read-line.ts";

const LINES = [
  ...PLAIN_SPELLINGS,
  ...UNCLEAR_SPELLINGS,
  ...ALLOW_BYPASSES,
  ...BENIGN,
  ...READING_LINES,
  ...pathLines("/p"),
];

interface OtherNode {
  readonly Args?: readonly OtherNode[];
  Pos(): { Offset(): number };
  End(): { Offset(): number };
}

interface OtherParser {
  NewParser(): { Parse(line: string, name: string): OtherNode };
  Walk(node: OtherNode, visit: (node: OtherNode | null) => boolean): void;
  NodeType(node: OtherNode): string;
}

const { syntax } = createRequire(import.meta.url)("mvdan-sh") as { syntax: OtherParser };

/** Programs that the other parser finds in a line, as written; undefined when it cannot parse it. */
function programsOf(line: string): string[] | undefined {
  try {
    const options: string[] = [];
    syntax.Walk(syntax.NewParser().Parse(line, "line.sh"), (node) => {
      const isCall = node !== null && syntax.NodeType(node) === "CallExpr";
      const [program] = isCall ? (node.Args ?? []) : [];
      if (program !== undefined) options.push(line.slice(program.Pos().Offset(), program.End().Offset()));
      return true;
    });
    return options;
  } catch {
    return undefined;
  }
}

/** Number of occurrences of each item. */
function counts(list: readonly string[]): Map<string, number> {
  const options = new Map<string, number>();
  for (const one of list) options.set(one, (options.get(one) ?? 0) + 1);
  return options;
}

test("no command that another parser sees in a line is missing from ours", () => {
  // ASCII only: other characters make a line opaque to us, and the other parser counts bytes.
  const step = rounds(4, 1);
  const first = Math.floor(Math.random() * step);
  console.info(`every ${step}. line from ${first}`);
  const lines = LINES.filter((line) => /^[\t\n -~]*$/.test(line)).filter((_, at) => at % step === first);
  let understood = 0;
  const missing = lines.flatMap((line) => {
    const programs = programsOf(line);
    if (programs !== undefined) understood += 1;
    const { commands, findings } = parseLine(line);
    // Such a line is known to hide a command from us.
    if (findings.some(({ reason }) => /differently|may run a command/.test(reason))) return [];
    const ours = counts(commands.map(({ args }) => args[0]?.source ?? ""));
    const theirs = counts((programs ?? []).filter((program) => !program.startsWith("\\")));
    return [...theirs]
      .filter(([program, count]) => (ours.get(program) ?? 0) < count)
      .map(([program]) => ({ line, program }));
  });
  expect(missing).toEqual([]);
  expect(understood).toBeGreaterThan(500 / step);
});

test("any line is parsed without an error, and never allowed when it was not parsed completely", () => {
  const syntax = constantFrom(
    ..."; & | && || |& $( ) ` ( { } < > >> <<E <<< <( ${ } $(( )) [[ ]] (( \" ' \\ $ * ? [ ] ~ ! # = \n \t if then fi case esac in for do done function coproc time".split(
      " ",
    ),
  );
  const piece = oneof(
    syntax,
    string({ unit: "binary", maxLength: 6 }),
    constantFrom("rm", "x", "git status", "-c", "sh"),
  );
  const deny = [parseRule("shell", "allow"), parseRule("shell: rm *", "deny")].flatMap((rule) => rule ?? []);
  assert(
    property(array(piece, { maxLength: 40 }), (pieces) => {
      const line = pieces.join(" ");
      const { findings } = readLine(line);
      const call = {
        tool: "shell",
        changesFiles: false,
        subjects: [{ kind: "command", text: line }],
        isWhole: true,
      } as const;
      const verdict = judgeCall(deny, call)?.verdict;
      const isOpaque = findings.some(({ level }) => level === "opaque");
      expect(isOpaque && verdict === "allow").toBe(false);
    }),
    { numRuns: rounds(200, 200_000) },
  );
});

/** Nested quotes: each level is about four times as long. */
function nestedShells(levels: number): string {
  return levels === 0 ? "ls" : `sh -c '${nestedShells(levels - 1).replaceAll("'", `'\\''`)}'`;
}

const HUGE: readonly (readonly [string, string])[] = [
  ["a long word", "x".repeat(1_000_000)],
  ["many commands", "ls;".repeat(300_000)],
  ["open substitutions", "$(".repeat(500_000)],
  ["nested substitutions", `${"$(echo ".repeat(3_000)}x${")".repeat(3_000)}`],
  ["nested quotes", `${'"$(echo '.repeat(3_000)}x`],
  ["nested brackets", `${"(".repeat(10_000)}rm x${")".repeat(10_000)}`],
  ["nested shells", nestedShells(9)],
  ["a long sum", `$((${"1+".repeat(100_000)}1))`],
  ["many wrappers", `${"env ".repeat(3_000)}rm x`],
  ["many quotes", "''".repeat(8_000)],
  ["many arguments", `echo ${"a ".repeat(7_000)}`],
];

test.each(HUGE)("%s is parsed within limits, and needs approval beyond them", (_what, line) => {
  const { findings, commands } = readLine(line);
  expect(commands.length).toBeLessThanOrEqual(20_000);
  if (line.length > 16 * 1024) expect(findings.map(({ level }) => level)).toContain("opaque");
});

test("what was read before a limit is still denied", () => {
  const deny = [parseRule("shell", "allow"), parseRule("shell: rm *", "deny")].flatMap((rule) => rule ?? []);
  const verdict = (text: string) =>
    judgeCall(deny, { tool: "shell", changesFiles: false, subjects: [{ kind: "command", text }], isWhole: true })
      ?.verdict;
  expect(verdict(`rm x; ${"ls;".repeat(100_000)}`)).toBe("deny");
  expect(verdict(`${"ls;".repeat(100_000)} rm x`)).toBe("ask");
  expect(verdict(`${"ls;".repeat(3_000)} rm x`)).toBe("deny");
});
