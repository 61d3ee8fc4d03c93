import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MEMBER_HUES } from "./member-styles.ts";

test("the style of the page has the same member colours as an exported session", () => {
  const style = readFileSync(new URL("../../web/style/tokens.css", import.meta.url), "utf8");
  const match = [...style.matchAll(/--m(\d): light-dark\((\S+), (\S+)\)/g)].map(([, at, light, dark]) => [
    Number(at) - 1,
    light,
    dark,
  ]);
  const guest = /--text-3: light-dark\((\S+), (\S+)\)/.exec(style) ?? [];
  expect([...match, [8, guest[1], guest[2]]]).toEqual(MEMBER_HUES.map(([light, dark], at) => [at, light, dark]));
  expect(style).toContain('[data-hue="8"]');
});
