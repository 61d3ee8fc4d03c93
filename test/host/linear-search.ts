/**
 * Search the slow way, for comparison: every log read from its beginning, every text compared word by word. Knows nothing
 * of the index and shares no code with it.
 */
import { openLogReader } from "../../src/log/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";

export interface LinearQuery {
  readonly words: readonly string[];
  readonly member?: string;
  readonly tool?: string;
  readonly sinceTs?: number;
  readonly sessionId?: string;
}

interface Thing {
  readonly member?: string | undefined;
  readonly tool?: string;
  readonly text: string;
}

/** "session event" of each find, sorted. */
export async function linearSearch(dataDir: string, ids: readonly string[], query: LinearQuery): Promise<string[]> {
  const found: string[] = [];
  for (const sessionId of ids.filter((id) => query.sessionId === undefined || id === query.sessionId)) {
    const reader = await openLogReader({ dataDir, sessionId });
    const tools = new Map<string, string>();
    for await (const events of reader.read(0)) {
      for (const event of events) {
        if (event.type === "tool_call_start") tools.set(event.toolCallId, event.name);
        if (event.ts < (query.sinceTs ?? 0)) continue;
        for (const thing of thingsOf(event, tools)) if (fits(thing, query)) found.push(`${sessionId} ${event.seq}`);
      }
    }
    await reader.close();
  }
  return found.sort();
}

function thingsOf(event: SessionEvent, tools: ReadonlyMap<string, string>): Thing[] {
  const { member } = event;
  switch (event.type) {
    case "session_created":
    case "session_renamed":
      return [{ text: event.title }];
    case "user_message":
      return [{ text: event.text }];
    case "text_done":
    case "thinking_done":
      return [{ member, text: event.text }];
    case "minutes":
      return [{ member, text: event.text }];
    case "tool_call_start":
      return [
        {
          member,
          tool: event.name,
          text: `${event.name} ${Object.entries(event.args as object)
            .flat()
            .join(" ")}`,
        },
      ];
    case "tool_result":
      return [event.result, event.diff].flatMap((text) =>
        text === undefined ? [] : [{ member, tool: tools.get(event.toolCallId) ?? "", text }],
      );
    default:
      return [];
  }
}

function fits({ member, tool, text }: Thing, query: LinearQuery): boolean {
  if (query.member !== undefined && member !== query.member) return false;
  if (query.tool !== undefined && tool !== query.tool) return false;
  return query.words.every((word) => hasWord(text, word));
}

const simple = (text: string) =>
  text
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
const WIDE = /[\u3040-\u30ff\u4e00-\u9fff]/;

function hasWord(text: string, word: string): boolean {
  const written = simple(text);
  const wanted = simple(word).toLowerCase();
  if (wanted.startsWith('"')) return ` ${wordsIn(written).join(" ")} `.includes(` ${wanted.slice(1, -1)} `);
  if (WIDE.test(wanted)) return written.includes(wanted);
  if (/[^a-z0-9ß]/.test(wanted)) return written.toLowerCase().includes(wanted);
  const all = [...wordsIn(written), ...partsIn(written)];
  return all.some((one) => (wanted.length < 3 ? one === wanted : one.startsWith(wanted)));
}

function wordsIn(text: string): string[] {
  return (
    Array.from(text.toLowerCase())
      .map((char) => (WIDE.test(char) ? ` ${char} ` : char))
      .join("")
      .match(/[a-z0-9ß\u3040-\u30ff\u4e00-\u9fff]+/g) ?? []
  );
}

/** One letter after the other: a part ends before a capital that follows a small letter or precedes one. */
function partsIn(text: string): string[] {
  const parts: string[] = [];
  for (const [name] of text.matchAll(/[A-Za-z0-9]+/g)) {
    let part = "";
    for (const [at, char] of name.split("").entries()) {
      const [before = "", after = ""] = [name[at - 1], name[at + 1]];
      const isBig = /[A-Z]/.test(char);
      if (isBig && (/[a-z0-9]/.test(before) || (/[A-Z]/.test(before) && /[a-z]/.test(after)))) {
        parts.push(part);
        part = "";
      }
      part += char;
    }
    parts.push(part);
  }
  return parts.map((part) => part.toLowerCase());
}
