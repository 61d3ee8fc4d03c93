import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("as many as fit begin at once, the others in order when a turn ends", () => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const [a, , c] = ["a", "b", "c", "d"].map((name) => turns.enter(() => begun.push(name)));
  expect(begun).toEqual(["a", "b"]);
  c?.();
  a?.();
  a?.();
  expect(begun).toEqual(["a", "b", "d"]);
  turns.enter(() => begun.push("e"));
  expect(begun).toEqual(["a", "b", "d"]);
});

test("a turn that ends while it begins is passed on", () => {
  const turns = new Turns(1);
  const begun: string[] = [];
  const first = turns.enter(() => begun.push("first"));
  turns.enter(() => begun.push("second"));
  first();
  expect(begun).toEqual(["first", "second"]);
});
