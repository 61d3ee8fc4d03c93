/**
 * A reader of thread directories written from the format's description. It shares no code with the product and
 * accepts nothing else: it must account for every byte of every file.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface ReadThread {
  readonly id: string;
  readonly members: readonly string[];
  readonly messages: readonly { number: number; from: string; to: string; timestamp: string; body: string }[];
  readonly streams: readonly { member: string; text: string }[];
}

const MESSAGE =
  /^---\nfrom: ("?)([a-z0-9-]+)\1\nto: ([a-z0-9, -]+)\ntimestamp: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n(?:refs: \[[^\n[\]]+\]\n)?---\n\n([\s\S]*)\n$/;

export function readThread(dir: string, { isLive = false } = {}): ReadThread {
  const thread = readJson(path.join(dir, "thread.json"), ["created_at", "id", "members", "pattern"]);
  const messages: ReadThread["messages"][number][] = [];
  const streams: ReadThread["streams"][number][] = [];
  for (const file of readdirSync(dir).sort()) {
    // Hidden temporary files belong to their writer; they are gone once it is idle.
    if (file === "thread.json" || (isLive && /^\..*\.tmp$/.test(file))) continue;
    const [, digits, sender] = /^([0-9]{4})-([a-z0-9-]+)\.md$/.exec(file) ?? [];
    const [, member] = /^\.stream-([a-z0-9-]+)\.jsonl$/.exec(file) ?? [];
    const text = readFileSync(path.join(dir, file), "utf8");
    if (digits !== undefined) messages.push(readMessage(Number(digits), sender ?? "", text));
    else if (member !== undefined) streams.push({ member, text: readStream(text) });
    else throw new Error(`${file} is not a thread file`);
  }
  return { id: String(thread["id"]), members: thread["members"] as string[], messages, streams };
}

function readMessage(number: number, sender: string, text: string): ReadThread["messages"][number] {
  const [, , from, to, timestamp, body] = MESSAGE.exec(text) ?? [];
  if (from === undefined || to === undefined || timestamp === undefined || body === undefined) {
    throw new Error(`message ${number} is not as described: ${JSON.stringify(text.slice(0, 200))}`);
  }
  if (from !== sender) throw new Error(`message ${number} is from ${from} by its text and from ${sender} by its name`);
  if (body.endsWith("\n")) throw new Error(`message ${number} ends with more than one newline`);
  if (body.split("\n").some((line) => /\s$/.test(line))) throw new Error(`message ${number} has trailing spaces`);
  return { number, from, to, timestamp, body };
}

/** Text of the lines that are whole; the last may still be on its way. */
function readStream(text: string): string {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const value = JSON.parse(line) as Record<string, never>;
      const event = (value["event"] ?? value) as { type?: string; delta?: { text?: string }; item?: { text?: string } };
      return event.delta?.text ?? event.item?.text ?? "";
    })
    .join("");
}

export function readJson(file: string, keys?: readonly string[]): Record<string, unknown> {
  const text = readFileSync(file, "utf8");
  const data = JSON.parse(text) as Record<string, unknown>;
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (text !== `${JSON.stringify(sorted, undefined, 2)}\n`) throw new Error(`${file} has an unexpected format`);
  if (keys !== undefined && Object.keys(data).join() !== keys.join()) throw new Error(`${file} has other keys`);
  return data;
}
