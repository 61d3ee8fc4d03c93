import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { ANSWER_CHARS_MAX, readClaims, type LocationClaim } from "./claims.ts";

function claimsIn(text: string) {
  const { locations, names } = readClaims("codex", text, ["scout", "codex"]);
  return { locations: locations.map(shortForm), names };
}

function shortForm({ reference, snippets, quoted, defines, lineCount }: LocationClaim) {
  return {
    at: reference.line === undefined ? reference.path : `${reference.path}:${reference.line}`,
    ...(snippets.length > 0 ? { snippets } : {}),
    ...(quoted.length > 0 ? { quoted } : {}),
    ...(defines === undefined ? {} : { defines }),
    ...(lineCount === undefined ? {} : { lineCount }),
  };
}

test.each([
  [
    "`src/a.ts:4` calls `takeLock()`.",
    { locations: [{ at: "src/a.ts:4", snippets: ["takeLock()"] }], names: ["takeLock"] },
  ],
  [
    "**`takeLock` is defined in `src/a.ts:4`.**",
    { locations: [{ at: "src/a.ts:4", snippets: ["takeLock"], defines: "takeLock" }], names: ["takeLock"] },
  ],
  ["- `src/a.ts:4` `const a = b(c);`", { locations: [{ at: "src/a.ts:4", snippets: ["const a = b(c);"] }], names: [] }],
  ["**`src/a.ts`** has 1,210 lines.", { locations: [{ at: "src/a.ts", lineCount: 1210 }], names: [] }],
  ["`a.ts:1` and `b.ts:2` share `takeLock`.", { locations: [{ at: "a.ts:1" }, { at: "b.ts:2" }], names: ["takeLock"] }],
  ["`src/a.ts:4` does not call `takeLock`.", { locations: [{ at: "src/a.ts:4" }], names: [] }],
  ["In `src/a.ts:4` I would add `retryPolicy`.", { locations: [{ at: "src/a.ts:4" }], names: [] }],
  [
    "See `src/create-new.ts:4` with `takeLock`.",
    { locations: [{ at: "src/create-new.ts:4", snippets: ["takeLock"] }], names: ["takeLock"] },
  ],
  ["`a.ts:1`: `8f321c1` 2024-01-02 Ada: `fix: takeLock()`", { locations: [{ at: "a.ts:1" }], names: [] }],
  ["The `lock` and the `text` are plain words.", { locations: [], names: [] }],
])("%j claims what it says", (text, expected) => {
  expect(claimsIn(text)).toEqual(expected);
});

test("a code block under a location is a quote; a change, a proposal or a lone block is not", () => {
  const block = (language: string) => `\n\n\`\`\`${language}\nconst a = 1;\n\`\`\`\n`;
  const quoted = (text: string) => claimsIn(text).locations.flatMap((place) => place.quoted ?? []);
  expect(quoted(`\`src/a.ts:4\`${block("ts")}`)).toEqual(["const a = 1;"]);
  expect(quoted(`\`src/a.ts:4\`:${block("")}`)).toEqual(["const a = 1;"]);
  expect(quoted(`\`src/a.ts:4\`${block("diff")}`)).toEqual([]);
  expect(quoted(`\`src/a.ts:4\` should be:${block("ts")}`)).toEqual([]);
  expect(quoted(`\`src/a.ts:4\`\n\nSomething else.${block("ts")}`)).toEqual([]);
  expect(claimsIn("```ts\nsee src/a.ts:4 and `takeLock`\n```").locations).toEqual([]);
});

test("agreement, disagreement and disputes with other members are recognised, but not with oneself", () => {
  const of = (text: string) => {
    const { stance, disputes } = readClaims("codex", text, ["scout", "codex"]);
    return { stance, disputes };
  };
  expect(of("**Yes**, it is.")).toEqual({ stance: "yes", disputes: [] });
  expect(of("No. I disagree with scout here.")).toEqual({
    stance: "no",
    disputes: [{ with: "scout", sentence: "I disagree with scout here." }],
  });
  expect(of("No file has it. Codex was wrong. The scouting is wrong.")).toEqual({ stance: undefined, disputes: [] });
});

test("any text is parsed without errors, a long one up to the limit", () => {
  assert(
    property(string({ unit: "grapheme", maxLength: 400 }), (text) => {
      expect(readClaims("a", text, ["a", "b"]).chars).toBe(text.length);
    }),
  );
  const long = readClaims("a", "`a.ts:1` `takeLock`\n".repeat(ANSWER_CHARS_MAX / 10), ["a"]);
  expect({ isCut: long.isCut, locations: long.locations.length }).toEqual({ isCut: true, locations: 60 });
});
