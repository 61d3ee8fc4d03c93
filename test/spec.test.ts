/** Every rule of `docs/spec.md` is cited by the title of a test, and every id in a title is a rule there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const written = [...readFileSync("docs/spec.md", "utf8").matchAll(/^- \*\*([A-Z]\d+)\*\*/gm)].map(([, rule]) => rule);
const sources = ["src", "edges", "test"]
  .filter((root) => existsSync(root))
  .flatMap((root) =>
    readdirSync(root, { recursive: true })
      .map((name) => path.join(root, String(name)))
      .filter((file) => file.endsWith(".ts") && !file.endsWith("spec.test.ts")),
  );
const cited = new Set(
  sources.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/["'`]\[([A-Z]\d+(?:, ?[A-Z]\d+)*)\]/g)].flatMap(([, rules = ""]) =>
      rules.split(/, ?/),
    ),
  ),
);

test("no rule is written twice", () => {
  expect(written.filter((rule, index) => written.indexOf(rule) !== index)).toEqual([]);
});

test("every rule has a test", () => {
  expect(written.filter((rule) => rule !== undefined && !cited.has(rule))).toEqual([]);
});

test("every id in the title of a test is a rule; an ordinary test needs none", () => {
  expect([...cited].filter((rule) => !written.includes(rule)).sort()).toEqual([]);
});
