import { expect, test } from "vitest";
import { toDollars, toMinutes } from "./option-values.ts";

test("a time is in minutes or has a unit", () => {
  expect(["10", "0.5", "90s", "10m", "2h", " 3 "].map(toMinutes)).toEqual([10, 0.5, 1.5, 10, 120, 3]);
  for (const wrong of ["", "0", "-1", "soon", "5d", "1e3", "Infinity", "9999999h"]) {
    expect(() => toMinutes(wrong)).toThrow("Give minutes, or a time such as 90s, 10m or 2h");
  }
});

test("an amount of dollars is a plain positive number", () => {
  expect(["5", "0.25", ".5"].map(toDollars)).toEqual([5, 0.25, 0.5]);
  for (const wrong of ["", "0", "-1", "$5", "1e9", "NaN", "."]) {
    expect(() => toDollars(wrong)).toThrow("Give an amount of US dollars");
  }
});
