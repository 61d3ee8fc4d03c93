/** The same with the message count of a long project. */
import { test } from "vitest";
import { expectNumbersAtOnce } from "./numbers-at-once.ts";

test("three threads of 3,000 messages from two processes: no number is lost or doubled", async () => {
  await expectNumbersAtOnce(1_500);
});
