import { expect, test } from "vitest";
import type { EventDraft } from "../../protocol/index.ts";
import { said } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { batchesOf } from "./draw-in-steps.ts";

test("events that come at once are divided by how much there is to draw, and all of them are there in their order", () => {
  const message = (text: string): EventDraft => ({
    type: "text_delta",
    turnId: "t",
    member: "ada",
    segmentId: "s",
    text,
  });
  const few = stamped(Array.from({ length: 20 }, (_, at) => said(`m${at}`, [], { text: "x" })));
  const long = stamped(["a", "b", "c"].map((letter) => message(letter.repeat(1_000))));
  expect(batchesOf([])).toEqual([]);
  expect(batchesOf(few)).toEqual([few]);
  expect(batchesOf([...few, ...few]).flat()).toEqual([...few, ...few]);
  expect(batchesOf([...few, ...few])).toHaveLength(2);
  expect(batchesOf(long)).toEqual(long.map((event) => [event]));
});
