import { expect, test } from "vitest";
import { findRisks, LARGE_LINES } from "./risk-rules.ts";

function risksIn(path: string, text: string): string[] {
  return findRisks(path, text).map((risk) => `${risk.kind}:${risk.line}`);
}

/** Concatenated, so that secret scanners do not flag this file. */
const TOKEN = ["AKIA", "ABCDEFGH12345678"].join("");

test.each([
  ["a.ts", "x();\n// TODO: later", ["todo:2"]],
  ["a.py", "# FIXME now", ["todo:1"]],
  ["a.ts", 'const label = "TODO";', []],
  ["a.md", "TODO: write", []],
  ["a.ts", "try { a(); } catch (error) {\n}\n", ["empty_catch:1"]],
  ["a.ts", "try { a(); } catch {}", ["empty_catch:1"]],
  ["a.ts", "try { a(); } catch { // Gone already.\n}", []],
  ["a.ts", "a().catch(() => {});", ["empty_catch:1"]],
  ["a.py", "try:\n    a()\nexcept Exception:\n    pass\n", ["empty_catch:3"]],
  ["a.go", "if err != nil {\n}", ["empty_catch:1"]],
  ["a.test.ts", 'test.skip("x", () => {});', ["skipped_test:1"]],
  ["a.test.ts", 'it.only("x", () => {});', ["skipped_test:1"]],
  ["a.test.ts", 'test.skipIf(isWindows)("x", () => {});', []],
  ["test_a.py", "@pytest.mark.skip", ["skipped_test:1"]],
  ["a.ts", "eval(text);", ["unsafe_call:1"]],
  ["a.ts", "spawn(x, { shell: true });", ["unsafe_call:1"]],
  ["a.ts", "retrieval(text); re.eval(text);", []],
  ["a.ts", "// @ts-ignore", ["check_off:1"]],
  ["a.ts", "// oxlint-disable-next-line no-x -- it is meant", []],
  ["a.ts", "x\n".repeat(LARGE_LINES + 1), ["large_file:1"]],
  ["a.json", "x\n".repeat(LARGE_LINES + 1), []],
])("%s with %j shows %j", (path, text, expected) => {
  expect(risksIn(path, text)).toEqual(expected);
});

test("a possible secret is reported by its location, and its line is never shown", () => {
  const text = [
    `const key = "${TOKEN}"; // TODO: move`,
    'const password = "hunter2hunter2";',
    'const password = "changeme1";',
    "const password = process.env.PASSWORD;",
    'api_key: "your-key-here-1"',
  ].join("\n");
  const risks = findRisks("a.ts", text);
  expect(risks.map((risk) => [risk.kind, risk.line, risk.shown])).toEqual([
    ["secret", 1, ""],
    ["todo", 1, ""],
    ["secret", 2, ""],
  ]);
  expect(risksIn("a.env", `KEY=${TOKEN}`)).toEqual(["secret:1"]);
});

test("matches are limited, lines are truncated, and no file makes the rules slow", () => {
  expect(findRisks("a.ts", "// TODO\n".repeat(500))).toHaveLength(40);
  expect(findRisks("a.ts", `// TODO ${"x".repeat(5_000)}`)[0]?.shown.length).toBe(110);
  // A backtracking pattern would take minutes on a long line and exceed the time limit.
  for (const text of [
    "catch ".repeat(80_000),
    "except ".repeat(80_000),
    " ".repeat(500_000),
    `catch (${"a".repeat(500_000)}`,
  ]) {
    findRisks("a.ts", text);
  }
});
