import { expect, test } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { createTextReader } from "../../../src/agents/index.ts";
import { matchFile } from "./match-file.ts";
import { searchText } from "./search-text.ts";
import { parseTerms } from "./terms.ts";

const countIn = (text: string, question: string) =>
  matchFile("a.ts", text, parseTerms(question).terms)?.counts.reduce((sum, one) => sum + one, 0) ?? 0;

test.each([
  ["log", "the log", 1],
  ["log", "blog catalogue", 0],
  ["log", "eventLog EventLog event_log event-log LOG", 5],
  ["log", "logging", 0],
  ["lock", "locking locked unlock", 2],
  ["queries", "query queries", 2],
  ["server", "HTTPServer", 1],
  ["größe", "die GRÖSSE größer Größe", 2],
  ["stanbul", "İstanbul stanbul", 1],
  ["日本", "今日本語日本", 2],
])("the word %s is in %j %i times", (word, text, times) => {
  expect(countIn(text, word)).toBe(times);
});

test("a search out of time ends with what it has, and counts what it did not reach", async () => {
  const root = await scratchTree(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}.txt`, "harbour"])));
  const clock = createHandClock();
  const reader = createTextReader(root);
  const paths = Array.from({ length: 40 }, (_, n) => `f${n}.txt`);
  const result = await searchText(paths, parseTerms("harbour").terms, {
    reader: { read: (path) => reader.read(path).finally(() => clock.advance(100)) },
    clock,
    signal: new AbortController().signal,
    timeMsMax: 500,
  });
  expect(result.notReached).toBeGreaterThan(0);
  expect(result.searched + result.notReached).toBe(40);
  expect(result.files.length).toBe(result.searched);
});

test("an aborted search stops with the signal's reason", async () => {
  const controller = new AbortController();
  const search = searchText(["a", "b"], parseTerms("harbour").terms, {
    reader: {
      read: () => {
        controller.abort(new Error("stop"));
        return Promise.resolve({ kind: "unreadable" });
      },
    },
    clock: createHandClock(),
    signal: controller.signal,
  });
  await expect(search).rejects.toThrow("stop");
});

test("only a few matching lines of a long file are kept", () => {
  const hits = matchFile("a.ts", "harbour\n".repeat(100_000), parseTerms("harbour").terms);
  expect(hits?.lines).toHaveLength(8);
  expect(hits?.counts).toEqual([200]);
});
