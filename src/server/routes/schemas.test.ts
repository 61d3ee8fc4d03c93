import { expect, test } from "vitest";
import { TurnCause } from "../../protocol/index.ts";
import { Runs } from "./schemas.ts";

test.each(TurnCause.options)("a run with a turn of cause %s can be listed", (cause) => {
  const turn = { turnId: "t1", member: "ada", cause, state: "running", startedTs: 1 };
  const run = { runId: "m1", sessionId: "s1", state: "running", text: "Hi", startedTs: 1, members: [], turns: [turn] };
  expect(Runs.parse([run])).toEqual([run]);
});
