/** Scrolled up while members speak: nothing that is looked at moves. */
import { expect, test } from "vitest";
import { keys } from "./key-bytes.ts";
import { rawSince, rowsWritten } from "./recorded-bytes.ts";
import { openReadyTerminal, homeWithThree } from "./test-terminal.ts";

const { enter } = keys;

test("while one looks at older rows, streams move none of them; a mark says that something is new, and Ctrl+End follows again", async ({
  onTestFinished: after,
}) => {
  const seen = await openReadyTerminal(after, { home: homeWithThree() });
  seen.type(`@ada /try long 4000${enter}`);
  await seen.sees("Reply to everyone");
  seen.type(`@all /try slow 400${enter}`);
  await seen.sees(/cyd .*writing/);
  for (let notch = 0; notch < 6; notch += 1) seen.wheel("up");
  await seen.losesSight(/cyd .*writing/);
  await seen.rests();
  const log = () => seen.screen().slice(2, -6);
  const before = log();
  const written = seen.recording.length;
  await seen.sees(/↓ \d+ new · /);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(log()).toEqual(before);
  // Only the rows below the log were written.
  expect(Math.min(...rowsWritten(rawSince(seen, written)))).toBeGreaterThan(2 + before.length);
  seen.type("a draft grows meanwhile");
  await seen.sees("❯ a draft grows meanwhile");
  expect(log()).toEqual(before);
  seen.type(keys.ctrlEnd);
  await seen.sees(/cyd .*writing/);
  expect(seen.text()).not.toMatch(/↓ \d+ new/);
});
