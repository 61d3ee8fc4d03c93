/**
 * Words that the code no longer uses, because each has a name that an engineer would search for (docs/glossary.md).
 * Counted in file names and identifiers; comments and strings are left out. The ceilings only ever go down.
 */
import { globSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readSource } from "./source-graph.ts";

/** With the programs and helpers of the edges' tests, without the tests themselves. */
const sources = globSync(["src/**/*.{ts,tsx}", "edges/**/*.{ts,tsx}"])
  .map((file) => file.split(path.sep).join("/"))
  .filter((file) => !/\.(test|torture|contract)\./.test(file));

const PRIVATE = new Set(
  `lot lots place places seat seats seated seating unseated newcomers words scribe book standings manners mind voice brief
  desk shelf lane ladder beat strike stray strays leftovers afresh surroundings means fate fates eagerness wish`.split(
    /\s+/,
  ),
);
const PRIVATE_PAIRS = [
  "halfmade",
  "lateagent",
  "lastlook",
  "spreadlimit",
  "kepttext",
  "owncommand",
  "lostcommand",
] as const;
const ORDINARY = new Set(
  `table tell told say said hear heard take taken keep kept found sought asked past look glance care piece pieces stretch
  portion fault trouble foreign amounts parts around outside`.split(/\s+/),
);

const CEILINGS = { privateUses: 94, ordinaryUses: 681 };

/** Without comments and the contents of strings; expressions inside template strings stay. */
function codeOf(text: string): string {
  const nesting: ("`" | "{")[] = [];
  let code = "";
  let at = 0;
  const skipTemplate = (): void => {
    for (; at < text.length; at += text[at] === "\\" ? 2 : 1) {
      if (text[at] === "`") break;
      if (text.startsWith("${", at)) {
        nesting.push("`");
        at += 2;
        return;
      }
    }
    at += 1;
  };
  while (at < text.length) {
    const char = text[at] ?? "";
    if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2);
      at = end < 0 ? text.length : end + 2;
    } else if (char === '"' || char === "'") {
      for (at += 1; at < text.length && text[at] !== char && text[at] !== "\n"; at += text[at] === "\\" ? 2 : 1);
      at += 1;
      code += '""';
    } else if (char === "`" || (char === "}" && nesting.at(-1) === "`")) {
      if (char === "}") nesting.pop();
      at += 1;
      skipTemplate();
      code += " ";
    } else {
      if (char === "{" && nesting.length > 0) nesting.push("{");
      else if (char === "}" && nesting.at(-1) === "{") nesting.pop();
      code += char;
      at += 1;
    }
  }
  return code;
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[-_.$#]/g, " ")
    .toLowerCase()
    .split(/\s+/);
}

/** Identifiers with how often each is used. */
const identifiers = new Map<string, number>();
for (const file of sources) {
  for (const [identifier] of codeOf(readSource(file)).matchAll(/[A-Za-z_$][\w$]*/g)) {
    identifiers.set(identifier, (identifiers.get(identifier) ?? 0) + 1);
  }
}

function countUses(isRetired: (word: string) => boolean, pairs: readonly string[] = []): number {
  let count = 0;
  for (const [identifier, uses] of identifiers) {
    const joined = identifier.toLowerCase();
    const retired = wordsOf(identifier).filter(isRetired).length + pairs.filter((pair) => joined.includes(pair)).length;
    count += retired * uses;
  }
  return count;
}

test("strings and comments are not counted", () => {
  expect(codeOf("const a = `x ${b({ c: 'seat' })} desk`; // lot\n/* place */ d;").replaceAll(/\s+/g, " ")).toBe(
    'const a = b({ c: "" }) ; d;',
  );
});

test("no file name has a retired word", () => {
  const named = sources.filter((file) =>
    wordsOf(path.basename(file).replace(/\.tsx?$/, "")).some((word) => PRIVATE.has(word) || ORDINARY.has(word)),
  );
  expect(named).toEqual([]);
});

test("private words only become fewer", () => {
  expect(countUses((word) => PRIVATE.has(word), PRIVATE_PAIRS)).toBeLessThanOrEqual(CEILINGS.privateUses);
});

test("ordinary words that hide the field's word only become fewer", () => {
  expect(countUses((word) => ORDINARY.has(word))).toBeLessThanOrEqual(CEILINGS.ordinaryUses);
});
