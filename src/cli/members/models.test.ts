import { expect, test } from "vitest";
import { failureLine, toFailure } from "../../kit/failure.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import { effortsFor, modelsFor } from "./models.ts";

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

test("-m sets the model of every member with one, NAME=MODEL that of one member; the later one wins", () => {
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

test("a model for an unknown member fails with exit code 2 and lists the members", () => {
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

const WITH_EFFORTS: MemberSpec[] = [
  { name: "ada", kind: "claude" },
  { name: "bob", kind: "openai" },
  { name: "gemini", kind: "acp", command: ["gemini", "--acp"] },
  { name: "scout", kind: "embedded" },
];

async function effortRefusal(given: readonly string[], members = WITH_EFFORTS): Promise<string> {
  try {
    return JSON.stringify([...(await effortsFor(given, members))]);
  } catch (error) {
    return failureLine(toFailure(error));
  }
}

test("--effort applies to every member that supports it, NAME=LEVEL to one; the later one wins", async () => {
  expect([...(await effortsFor(["high"], WITH_EFFORTS))]).toEqual([
    ["ada", "high"],
    ["bob", "high"],
  ]);
  expect([...(await effortsFor(["low", "ada=max"], WITH_EFFORTS))]).toEqual([
    ["ada", "max"],
    ["bob", "low"],
  ]);
  expect([...(await effortsFor([], []))]).toEqual([]);
});

test("an effort for an unknown member or an unknown level is rejected with the reason", async () => {
  expect([
    await effortRefusal(["eve=high"]),
    await effortRefusal(["gemini=high"]),
    await effortRefusal(["ada="]),
    await effortRefusal(["bob=max"]),
    await effortRefusal(["high"], WITH_EFFORTS.slice(2)),
  ]).toEqual([
    'roundtable: unknown member "eve" in --effort. Known members: ada, bob, gemini, scout.\n',
    "roundtable: --effort gemini=high: gemini has no reasoning effort setting. Remove it.\n",
    'roundtable: --effort "ada=" has no level. Use --effort LEVEL or --effort NAME=LEVEL.\n',
    'roundtable: --effort: bob has no level "max". Use one of: none, minimal, low, medium, high, xhigh.\n',
    "roundtable: --effort high: no member of this session has a reasoning effort setting. Remove it.\n",
  ]);
});
