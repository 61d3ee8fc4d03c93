import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { loadedMessages } from "../selectors/messages.ts";

const stop = (turnIds: string[], more: object): EventDraft => ({
  type: "output_cancelled",
  by: "c",
  scope: "own",
  turnIds,
  ...more,
});

function marks(cancelled: EventDraft): [string, number | undefined][] {
  const drafts = [
    created(),
    joined("a"),
    joined("b"),
    said("m1", ["a", "b"]),
    started("t1", "a"),
    started("t2", "b"),
    ended("t1", "a", { outcome: "interrupted" }),
    ended("t2", "b", { outcome: "interrupted" }),
    cancelled,
  ];
  const messages = [...loadedMessages(fold(empty("session"), stamped(drafts)))];
  return messages.flatMap((one) =>
    one.kind === "turn" ? [[one.turnId, one.end?.audioTruncatedAtMs] as const] : [],
  ) as never;
}

test("only the turn that was being read aloud when stopped is marked with the position reached", () => {
  expect(marks(stop(["t1", "t2"], { audioTruncatedAtMs: 1_200, audioTurnId: "t2" }))).toEqual([
    ["t1", undefined],
    ["t2", 1_200],
  ]);
  expect(marks(stop(["t1"], { audioTruncatedAtMs: 900 }))).toEqual([
    ["t1", 900],
    ["t2", undefined],
  ]);
  // With two candidates none is marked, nor is a turn that was not stopped.
  expect(marks(stop(["t1", "t2"], { audioTruncatedAtMs: 5 }))).toEqual([
    ["t1", undefined],
    ["t2", undefined],
  ]);
  expect(marks(stop(["t1"], { audioTruncatedAtMs: 5, audioTurnId: "t2" }))).toEqual([
    ["t1", undefined],
    ["t2", undefined],
  ]);
});
