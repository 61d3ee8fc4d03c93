import { expect, test } from "vitest";
import { said } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { empty, fold, PAGE_SIZE } from "../../transcript/index.ts";
import { CACHED_PAGES_MAX, withoutFarPages } from "./log-pages.ts";

test("of a long session only pages near the one that was fetched last are kept", () => {
  const count = (CACHED_PAGES_MAX + 6) * PAGE_SIZE;
  const drafts = Array.from({ length: count }, (_, at) => said(`m${at}`, [], { text: "x" }));
  const whole = fold(empty("session"), stamped(drafts));
  expect(whole.frozen.length).toBeGreaterThan(CACHED_PAGES_MAX + 3);
  const kept = withoutFarPages(whole, 2).frozen.flatMap((page, index) => (page === undefined ? [] : [index]));
  expect(kept).toEqual(Array.from({ length: CACHED_PAGES_MAX }, (_, index) => index));
  expect(withoutFarPages(whole, 2).live).toBe(whole.live);
  const few = { ...whole, frozen: whole.frozen.slice(0, CACHED_PAGES_MAX) };
  expect(withoutFarPages(few, 2)).toBe(few);
});
