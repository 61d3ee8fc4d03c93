import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MEMBER_HUES } from "./member-styles.ts";

test("the style of the page has the same member colours as an exported session", () => {
  const style = readFileSync(new URL("../../web/style/colours.css", import.meta.url), "utf8");
  const match = [...style.matchAll(/--hue-(\d): light-dark\((\S+), (\S+)\)/g)].map(([, at, light, dark]) => [
    Number(at),
    light,
    dark,
  ]);
  expect(match).toEqual(MEMBER_HUES.map(([light, dark], at) => [at, light, dark]));
});
