import { expect, test } from "vitest";
import {
  messageFileName,
  normaliseName,
  parseMessageFileName,
  parseStreamFileName,
  streamFileName,
  threadId,
  threadNames,
} from "./names.ts";

test("a name becomes lower-case ASCII with single dashes, and an empty result is rejected", () => {
  const given = ["feature/OAuth-Refresh", "JRB/Fix--Bug", "café_déjà", "-a-", "Ⅷ x", "my agent!"];
  expect(given.map(normaliseName)).toEqual([
    "feature-oauth-refresh",
    "jrb-fix-bug",
    "cafe-deja",
    "a",
    "viii-x",
    "my-agent",
  ]);
  for (const empty of ["", "///", "日本"]) expect(() => normaliseName(empty)).toThrow("no letter or digit");
});

test("a message file is named by four digits, a dash and its sender; no other file is a message", () => {
  expect(messageFileName(7, "claude")).toBe("0007-claude.md");
  expect(messageFileName(9_999, "My_Agent")).toBe("9999-my-agent.md");
  expect(parseMessageFileName("0012-code-x.md")).toEqual({ number: 12, sender: "code-x" });
  const others = ["12-a.md", "00012-a.md", "0012-.md", "0012-a.md.tmp", "thread.json", ".0012-a.md"];
  expect(others.map(parseMessageFileName)).toEqual(others.map(() => undefined));
});

test("a stream file is hidden and carries its sender", () => {
  expect(streamFileName("my_agent")).toBe(".stream-my-agent.jsonl");
  expect([".stream-codex.jsonl", "stream-codex.jsonl", ".debug-stream-codex-1.jsonl"].map(parseStreamFileName)).toEqual(
    ["codex", undefined, undefined],
  );
});

test("a thread id is council- and four hex digits that are not taken", () => {
  expect([threadId("3908abcd"), threadId("3908abcd", 1)]).toEqual(["council-3908", "council-abcd"]);
  expect(() => threadId("3908abcd", 2)).toThrow("is taken");
});

test("members never share a name in files, nor use the user's or everyone's", () => {
  expect(Object.fromEntries(threadNames(["claude", "a_b", "a-b", "king", "a--b"]))).toEqual({
    claude: "claude",
    a_b: "a-b",
    "a-b": "a-b-2",
    king: "king-2",
    "a--b": "a-b-3",
  });
});
