import { expect, test } from "vitest";
import { failureLine, toFailure } from "../../kit/failure.ts";
import { modelsFor } from "./models.ts";

const SEATED = [
  { name: "ada", kind: "claude" },
  { name: "bob", kind: "openai" },
  { name: "scout", kind: "embedded" },
] as const;

function refusal(given: readonly string[], members: Parameters<typeof modelsFor>[1] = SEATED): string {
  try {
    return JSON.stringify([...modelsFor(given, members)]);
  } catch (error) {
    const failure = toFailure(error);
    return `${failure.exitCode} ${failureLine(failure)}`;
  }
}

test("-m is the model of everybody who has one, NAME=MODEL of one member, and the later of two counts", () => {
  expect([...modelsFor(["sonnet"], SEATED)]).toEqual([
    ["ada", "sonnet"],
    ["bob", "sonnet"],
  ]);
  expect([...modelsFor(["sonnet", "bob=x/y:z=1"], SEATED)]).toEqual([
    ["ada", "sonnet"],
    ["bob", "x/y:z=1"],
  ]);
  expect([...modelsFor(["some/model=large"], SEATED)]).toEqual([
    ["ada", "some/model=large"],
    ["bob", "some/model=large"],
  ]);
  expect([...modelsFor([], [])]).toEqual([]);
});

test("a model for nobody is refused with 2 and with who sits there", () => {
  expect([
    refusal(["eve=x"]),
    refusal(["scout=x"]),
    refusal(["ada="]),
    refusal([" "]),
    refusal(["x"], SEATED.slice(2)),
  ]).toEqual([
    '2 roundtable: unknown member "eve" in -m. Known members: ada, bob, scout.\n',
    "2 roundtable: -m scout=x: scout is built in and has no model. Remove it.\n",
    '2 roundtable: -m "ada=" has no model. Use -m MODEL, or -m NAME=MODEL for one member.\n',
    '2 roundtable: -m " " has no model. Use -m MODEL, or -m NAME=MODEL for one member.\n',
    "2 roundtable: -m x: no member of this session has a model. Choose members that have one with --members.\n",
  ]);
});
