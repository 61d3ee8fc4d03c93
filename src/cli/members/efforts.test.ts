import { expect, test } from "vitest";
import type { MemberSpec } from "../../protocol/index.ts";
import { failureLine, toFailure } from "../../kit/failure.ts";
import { effortsFor } from "./efforts.ts";

const SEATED: MemberSpec[] = [
  { name: "ada", kind: "claude" },
  { name: "bob", kind: "openai" },
  { name: "gemini", kind: "acp", command: ["gemini", "--acp"] },
  { name: "scout", kind: "embedded" },
];

async function refusal(given: readonly string[], members = SEATED): Promise<string> {
  try {
    return JSON.stringify([...(await effortsFor(given, members))]);
  } catch (error) {
    return failureLine(toFailure(error));
  }
}

test("--effort is for everybody who can be told one, NAME=LEVEL for one member, and the later of two counts", async () => {
  expect([...(await effortsFor(["high"], SEATED))]).toEqual([
    ["ada", "high"],
    ["bob", "high"],
  ]);
  expect([...(await effortsFor(["low", "ada=max"], SEATED))]).toEqual([
    ["ada", "max"],
    ["bob", "low"],
  ]);
  expect([...(await effortsFor([], []))]).toEqual([]);
});

test("an effort for nobody, or one that a member does not know, is refused with why", async () => {
  expect([
    await refusal(["eve=high"]),
    await refusal(["gemini=high"]),
    await refusal(["ada="]),
    await refusal(["bob=max"]),
    await refusal(["high"], SEATED.slice(2)),
  ]).toEqual([
    'roundtable: unknown member "eve" in --effort. Known members: ada, bob, gemini, scout.\n',
    "roundtable: --effort gemini=high: gemini has no reasoning effort setting. Remove it.\n",
    'roundtable: --effort "ada=" has no level. Use --effort LEVEL or --effort NAME=LEVEL.\n',
    'roundtable: --effort: bob has no level "max". Use one of: none, minimal, low, medium, high, xhigh.\n',
    "roundtable: --effort high: no member of this session has a reasoning effort setting. Remove it.\n",
  ]);
});
