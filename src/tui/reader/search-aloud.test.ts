import { expect, test } from "vitest";
import { createRecordingScreen } from "../../../test/tui/command-screen.ts";
import { runCommandLine } from "../commands/run-command.ts";
import type { SearchAnswer, SearchHit } from "../../protocol/index.ts";
import { searchAloud, type SearchScreen } from "./search-aloud.ts";

const HIT: SearchHit = {
  sessionId: "S2",
  title: "Animals",
  cwd: "/project",
  seq: 12,
  eventSeq: 14,
  ts: 1_700_000_000_000,
  kind: "output",
  member: "ada",
  tool: "bash",
  snippet: "here is the okapi",
  marks: [[12, 17]],
};

function found(hits: readonly SearchHit[]): (query: string) => Promise<SearchAnswer> {
  return async () => ({ hits: [...hits], hasMore: false, isComplete: true, sessionsLeft: 0 });
}

test("for a screen reader a search says how many there are, numbers them with who and where, and opens the one chosen", async () => {
  const label = "ada bash output in Animals, 2 days ago: here is the okapi";
  const screen = createRecordingScreen({ pickLabel: label, sessionId: "S1", line: "okapi" });
  const now = HIT.ts + 2 * 86_400_000;
  const doors: SearchScreen = Object.create(screen, { sessionId: { value: "S1" }, now: { value: now } });
  await searchAloud(doors, found([HIT]), "");
  expect(screen.calls).toEqual([
    ["askLine", "Search all sessions for", undefined],
    ["say", "1 found, newest first."],
    ["pick", "Found", [{ label, value: HIT }]],
    ["openSession", "S2"],
    ["say", "ada bash output, message 12: here is the okapi"],
  ]);
  const silent = createRecordingScreen({});
  await searchAloud(silent, found([]), "okapi");
  expect(silent.messages).toEqual(["Nothing found."]);
});

test("/search queries all sessions; /find stays in this one", async () => {
  const screen = createRecordingScreen({});
  await runCommandLine(screen, "/search torn tail");
  await runCommandLine(screen, "/search");
  await runCommandLine(screen, "/find torn");
  expect(screen.calls.slice(0, 3)).toEqual([
    ["showSearch", "torn tail"],
    ["showSearch", ""],
    ["search", "torn"],
  ]);
});
