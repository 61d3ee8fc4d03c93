/**
 * Writes into a thread as kingdom's own programs do: the next number after the highest there is, the name created
 * exclusively, the content afterwards and not at once.
 */
import { appendFileSync, closeSync, openSync, readdirSync, writeSync } from "node:fs";
import path from "node:path";

export function writeAsKingdom(dir: string, from: string, to: string, body: string): string {
  const numbers = readdirSync(dir).flatMap((file) => /^([0-9]{4})-.*\.md$/.exec(file)?.[1] ?? []);
  let number = Math.max(0, ...numbers.map(Number)) + 1;
  for (let tries = 0; tries < 10; tries += 1, number += 1) {
    const file = `${String(number).padStart(4, "0")}-${from}.md`;
    let fd: number;
    try {
      fd = openSync(path.join(dir, file), "wx");
    } catch {
      continue;
    }
    const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
    writeSync(fd, ["---", `from: ${from}`, `to: ${to}`, `timestamp: ${timestamp}`, "---", "", body, ""].join("\n"));
    closeSync(fd);
    return file;
  }
  throw new Error("no number could be taken");
}

export function streamAsKingdom(dir: string, member: string, text: string): void {
  const event = { type: "content_block_delta", delta: { type: "text_delta", text } };
  const line = `${JSON.stringify({ type: "stream_event", event, session_id: "s" })}\n`;
  appendFileSync(path.join(dir, `.stream-${member}.jsonl`), line);
}
