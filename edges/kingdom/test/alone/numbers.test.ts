/** Numbering with concurrent writers. */
import { test } from "vitest";
import { expectNumbersAtOnce } from "./numbers-at-once.ts";

test("two processes that write into three threads at once share no number, skip none and lose nothing", async () => {
  await expectNumbersAtOnce(150);
});
