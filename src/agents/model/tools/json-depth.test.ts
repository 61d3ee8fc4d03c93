import { expect, test } from "vitest";
import { isTooDeep } from "./json-depth.ts";
import { patient } from "../../../../test/patience.ts";

test("the depth of arguments is told in one pass, brackets in texts not counted, also where they are cut off", () => {
  expect(isTooDeep(`${"[".repeat(64)}${"]".repeat(64)}`)).toBe(false);
  expect(isTooDeep("[".repeat(65))).toBe(true);
  expect(isTooDeep(`{"a":"${"[".repeat(100)}\\"${"{".repeat(100)}"}`)).toBe(false);
  expect(isTooDeep(`{"a":"\\\\","b":${"[".repeat(64)}`)).toBe(true);
  const cut = `{"a":"${String.raw`\"`.repeat(400_000)}`;
  const startMs = performance.now();
  expect(isTooDeep(cut)).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(patient(2_000));
});
