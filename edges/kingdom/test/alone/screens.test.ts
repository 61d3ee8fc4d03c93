/** Assumptions of kingdom's screens and commands about a thread that we are writing. */
import { existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { streamAsKingdom, writeAsKingdom } from "./kingdom-writer.ts";
import { openMirrored, type MirroredSession } from "./mirrored-session.ts";
import { readThread } from "./thread-reader.ts";

const MEMBERS = ["claude", "codex", "a_b"].map((name) => ({ name, kind: "embedded" as const }));
const open: MirroredSession[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((table) => table.close()));
});

async function table(): Promise<MirroredSession> {
  const opened = await openMirrored({ members: MEMBERS });
  open.push(opened);
  return opened;
}

/** Polls continuously; returns streams seen together with their message, or before their question. */
function watchClosely(dir: string): () => string[] {
  const seen: string[] = [];
  let isOver = false;
  const look = (): void => {
    if (isOver) return;
    const files = readdirSync(dir);
    const asked = files.filter((file) => file.endsWith("-king.md")).length;
    for (const stream of files.filter((file) => file.startsWith(".stream-"))) {
      const sender = stream.slice(".stream-".length, -".jsonl".length);
      const answers = files.filter((file) => file.endsWith(`-${sender}.md`)).length;
      if (answers >= asked) seen.push(`${stream} beside ${answers} answers to ${asked} questions`);
    }
    setImmediate(look);
  };
  look();
  return () => {
    isOver = true;
    return seen;
  };
}

test("a stream is never seen together with its final message or before the message that it answers", async () => {
  const at = await table();
  const seen = watchClosely(await at.dir());
  for (let round = 1; round <= 4; round += 1) {
    await at.send("stream 40");
    await at.sees("three answers", () => at.of("turn_end").length === 3 * round);
  }
  await at.sees("sixteen files", () => at.of("mirrored").length === 16);
  expect(seen()).toEqual([]);
});

test("a member's stream exists from the start of its turn, also without streamed text", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("hold", ["codex"]);
  const stream = path.join(dir, ".stream-codex.jsonl");
  await at.sees("the stream", () => existsSync(stream));
  expect(readThread(dir, { isLive: true }).streams).toEqual([{ member: "codex", text: "" }]);
  await at.client.command(at.sessionId, { type: "interrupt", scope: "all" });
  await at.sees("no stream", () => !existsSync(stream) && at.of("mirrored").length === 2);
});

test("a stream that a screen removed is written again with everything so far", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("stream 2000", ["claude"]);
  const stream = path.join(dir, ".stream-claude.jsonl");
  const textOf = (): string => (existsSync(stream) ? readFileSync(stream, "utf8") : "");
  await at.sees("a word", () => textOf().includes("word1 "));
  unlinkSync(stream);
  await at.sees("the stream again", () => textOf().includes("word1 "));
  await at.client.command(at.sessionId, { type: "interrupt", scope: "all" });
  await at.sees("no stream", () => !existsSync(stream) && at.of("mirrored").length === 2);
});

test("once another program has started asking, the members of its council are left to it, one after the other", async () => {
  const at = await table();
  const dir = await at.dir();
  streamAsKingdom(dir, "claude", "I th");
  const file = writeAsKingdom(dir, "king", "all", "And now?");
  await at.sees("an answer", () => at.of("turn_end").some(({ member }) => member === "a_b"));
  expect(at.of("user_message").map(({ to, origin }) => ({ to, origin }))).toEqual([
    { to: ["a_b"], origin: `kd:${path.basename(dir)}/${file}` },
  ]);
  writeAsKingdom(dir, "claude", "king", "I think.");
  writeAsKingdom(dir, "codex", "king", "I agree.");
  await at.sees("both", () => at.of("turn_end").length === 3);
  expect(at.of("turn_start").map(({ member, cause }) => [member, cause])).toEqual(
    expect.arrayContaining([
      ["claude", "imported"],
      ["codex", "imported"],
    ]),
  );
});

test("a member whose session file has named a live process since the message is asked there", async () => {
  const at = await table();
  const dir = await at.dir();
  const sessions = path.join(path.dirname(path.dirname(dir)), "sessions");
  mkdirSync(sessions, { recursive: true });
  const file = writeAsKingdom(dir, "king", "claude", "Without a stream?");
  writeFileSync(path.join(sessions, "claude.json"), JSON.stringify({ name: "claude", pid: process.ppid }));
  await at.sees("the message", () => at.of("user_message").length === 1);
  expect(at.of("user_message").map(({ to, origin }) => ({ to, origin }))).toEqual([
    { to: [], origin: `kd:${path.basename(dir)}/${file}` },
  ]);
  writeAsKingdom(dir, "claude", "king", "None.");
  await at.sees("its answer", () => at.of("turn_end").length === 1);
  expect(at.of("turn_start").map(({ member, cause }) => [member, cause])).toEqual([["claude", "imported"]]);
});

test("a number that another program also took is left to it, even if later ones exist", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("one", ["claude"]);
  await at.sees("two files", () => at.of("mirrored").length === 2);
  const text = "---\nfrom: cursor\nto: king\ntimestamp: 2026-02-15T10:00:01Z\n---\n\nAt the same moment.\n";
  writeFileSync(path.join(dir, "0001-cursor.md"), text);
  await at.sees("ours to move", () => at.of("mirrored").length === 3);
  await at.sees("one file less", () => !existsSync(path.join(dir, "0001-king.md")));
  const files = readdirSync(dir).filter((name) => name.endsWith(".md"));
  expect(files.sort()).toEqual(["0001-cursor.md", "0002-claude.md", "0003-king.md"]);
});
