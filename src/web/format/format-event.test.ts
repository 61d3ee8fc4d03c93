import { expect, test } from "vitest";
import { stamped } from "../../../test/generate/stamped.ts";
import { formatEvent } from "./format-turn.ts";

test("a sentence begins with a capital letter, an address, a path or a member's name stays as it is written", () => {
  const shown = (message: string) => stamped([{ type: "warning", member: "ada", code: "x", message }]).map(formatEvent);
  const asWritten = ["http://127.0.0.1:1234/v1 does not answer.", "ada is silent.", "~/notes is gone."];
  expect(asWritten.flatMap(shown)).toEqual(asWritten);
  expect(shown("the disk is full.")).toEqual(["The disk is full."]);
});
