import { expect, test } from "vitest";
import { createRecordingScreen, plannedWith } from "../../../../test/tui/command-screen.ts";
import { completionsOf } from "./prompt.ts";

const { signal } = new AbortController();
const planned = plannedWith("ada");

test("before there is a session files come from the directory it would be about, and none where that is elsewhere", async () => {
  const asked: unknown[] = [];
  const listFiles = async (...of: unknown[]) => {
    asked.push(...of);
    return ["src/parser.js"];
  };
  const here = completionsOf(createRecordingScreen({ planned }), { listFiles });
  const elsewhere = completionsOf(createRecordingScreen({ planned }), {});
  expect([await here.files("src/", signal), asked]).toEqual([["src/parser.js"], ["src/", 50]]);
  expect([await elsewhere.files("src/", signal), elsewhere.members().map(({ value }) => value)]).toEqual([
    [],
    ["ada", "all"],
  ]);
});
