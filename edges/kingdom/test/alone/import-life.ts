/** Imports a thread on a failing disk and checks the state after the next import. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readTranscript } from "../../../../src/host/index.ts";
import { importThread, type ThreadImportResult } from "../../import-thread.ts";
import { loadedMessages, turnText } from "../../../../src/transcript/index.ts";
import { createScriptedAgent, ECHO, SETTINGS } from "../../../../test/host/scripted-agent.ts";
import type { Counts } from "./breaking-disk.ts";

const THREAD = "council-3908";
/** Sender and words, by number. */
const SAID: readonly (readonly [string, string])[] = [
  ["king", "What about X?\n\nMore."],
  ["claude", "X is fine."],
  ["codex", "It is not."],
  ["king", "Really?"],
  ["codex", "Really. ".repeat(2_000).trim()],
];

const READS: ReadonlySet<string> = new Set(["openToRead", "read", "readdir", "stat", "lstat", "realpath"]);

/** Everything an import changes. */
export const changes: Counts = (operation) => !READS.has(operation);
/** Operations on the thread: reads only. */
export const readings: Counts = (_, file) => file.startsWith("thread");

export function prepareThread(root: string): void {
  const dir = path.join(root, "thread", THREAD);
  mkdirSync(dir, { recursive: true });
  for (const [index, [from, body]] of SAID.entries()) {
    const head = `---\nfrom: ${from}\nto: king\ntimestamp: 2026-02-15T10:00:0${index}Z\n---\n\n`;
    writeFileSync(path.join(dir, `000${index + 1}-${from}.md`), `${head}${body}\n`);
  }
}

export async function importIn(root: string): Promise<ThreadImportResult> {
  return await importThread({
    dataDir: path.join(root, "data"),
    threadDir: path.join(root, "thread", THREAD),
    cwd: root,
    settings: SETTINGS,
    members: [ECHO],
    agentFactory: createScriptedAgent,
  });
}

/** Imports it again, as after a crash, and compares the session with the thread. */
export async function judgeImport(root: string): Promise<string[]> {
  const wrong: string[] = [];
  const before = bytesIn(root);
  const { sessionId } = await importIn(root);
  const again = await importIn(root);
  if (again.sessionId !== sessionId || again.added !== 0) wrong.push(`the last import was ${JSON.stringify(again)}`);
  const transcript = await readTranscript(path.join(root, "data"), sessionId);
  const shown = [...loadedMessages(transcript)].flatMap((one): (readonly [string, string])[] => {
    if (one.kind === "user") return [["king", one.text]];
    return one.kind === "turn" ? [[one.member, turnText(one)]] : [];
  });
  if (JSON.stringify(shown) !== JSON.stringify(SAID)) wrong.push(`shown is ${JSON.stringify(shown).slice(0, 500)}`);
  const members = Object.keys(transcript.head.members);
  if (members.join() !== ECHO.name) wrong.push(`at the table are ${members.join()}`);
  if (bytesIn(root) !== before) wrong.push("the thread was changed");
  const sessions = readdirSync(path.join(root, "data", "logs")).filter((file) => file.endsWith(".jsonl"));
  if (sessions.length !== 1) wrong.push(`there are ${sessions.length} sessions`);
  return wrong;
}

function bytesIn(root: string): string {
  const dir = path.join(root, "thread", THREAD);
  return readdirSync(dir)
    .sort()
    .map((file) => `${file}\n${readFileSync(path.join(dir, file), "utf8")}`)
    .join("");
}
