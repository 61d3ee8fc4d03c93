import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { geminiHome, removeEmptyCopies } from "./gemini.ts";

const SESSION = "fc995762-72d8-4846-927a-9d2989252e0b";
const BEGUN = "session-2026-11-18T01-39-fc995762.jsonl";
const LOADED = "session-2026-11-18T01-40-fc995762.jsonl";

const user = (text: string) => ({ id: text, type: "user", content: [{ text }] });
const context = user("<session_context>\nThis is the Gemini CLI.\n</session_context>");
const beginning = [{ sessionId: SESSION, projectHash: "3d67", kind: "main" }, { $set: { messages: [context] } }];
const conversation = [...beginning, user("hello"), { $set: { lastUpdated: "2026-11-18T01:39:59.388Z" } }];

let home: string;
let chats: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "gemini-home-"));
  chats = path.join(home, ".gemini", "tmp", "project", "chats");
  mkdirSync(chats, { recursive: true });
});

afterEach(() => rmSync(home, { recursive: true }));

function keep(name: string, records: readonly object[]): void {
  writeFileSync(path.join(chats, name), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

function left(): string[] {
  removeEmptyCopies(SESSION, home);
  return readdirSync(chats).toSorted();
}

test("the empty file that loading a session leaves is removed, and the conversation stays", () => {
  keep(BEGUN, conversation);
  keep(LOADED, [...beginning, ...beginning]);
  expect(left()).toEqual([BEGUN]);
});

test("a session without messages stays, whatever the number of its files", () => {
  keep(BEGUN, beginning);
  expect(left()).toEqual([BEGUN]);
  keep(LOADED, beginning);
  expect(left()).toEqual([BEGUN, LOADED]);
});

test.each([
  ["a message", [...beginning, user("goodbye")]],
  ["a message in its history", [...beginning, { $set: { messages: [context, user("goodbye")] } }]],
  ["an answer", [...beginning, { id: "1", type: "gemini", content: "Hello." }]],
  ["another session's id", [{ sessionId: "fc995762-0000", projectHash: "3d67" }]],
  ["more than an empty one has", [...beginning, { $set: { summary: "x".repeat(1024 * 1024) } }]],
  ["nothing at all", []],
])("a second file stays that has %s", (_, records) => {
  keep(BEGUN, conversation);
  keep(LOADED, records);
  expect(left()).toEqual([BEGUN, LOADED]);
});

test("files of other sessions, links and unknown formats stay", () => {
  const other = "session-2026-11-18T01-40-00000000.jsonl";
  const text = "session-2026-11-18T01-41-fc995762.jsonl";
  keep(BEGUN, conversation);
  keep(other, beginning);
  symlinkSync(path.join(chats, other), path.join(chats, LOADED));
  writeFileSync(path.join(chats, text), "not JSON\n");
  expect(left()).toEqual([BEGUN, other, LOADED, text].toSorted());
});

test("Gemini's variable moves its home, and HOME is the next", () => {
  expect(geminiHome({ GEMINI_CLI_HOME: path.resolve("/moved"), HOME: path.resolve("/home/me") })).toBe(
    path.resolve("/moved"),
  );
  expect(geminiHome({ GEMINI_CLI_HOME: "", HOME: home })).toBe(process.platform === "win32" ? geminiHome({}) : home);
});
