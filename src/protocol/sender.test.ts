import { expect, test } from "vitest";
import { authorOf } from "./sender.ts";

test("a reader is told who else wrote; what was written at the machine is its owner's", () => {
  const clients = ["ada.Q7XK", "bob.0ABC", "terminal-01JN0000000000000000000001", undefined];
  const authors = (me: string | undefined) => clients.map((id) => authorOf(id, { me, owner: "ada" }));
  expect(authors("ada")).toEqual([undefined, "bob", undefined, undefined]);
  expect(authors("bob")).toEqual(["ada", undefined, "ada", "ada"]);
  expect(authors(undefined)).toEqual(["ada", "bob", undefined, undefined]);
  expect(clients.map((id) => authorOf(id))).toEqual(["ada", "bob", undefined, undefined]);
});
