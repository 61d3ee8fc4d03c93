/**
 * `.stream-<member>.jsonl`: a member's text while it streams, in the format of its agent's own program.
 * Text only: a line of thinking crashes kingdom's chat screen.
 */
import { toJsonLine } from "../../../src/kit/io/json-lines.ts";
import { escapeNonAscii, isObject } from "./json-file.ts";

export type Backend = "claude_code" | "codex" | "cursor";

/** First line of our streams. Identifies them as ours; other programs skip it. */
export function encodeStreamHead(sessionId: string, turnId: string): string {
  return toJsonLine({ type: "system", subtype: "roundtable", roundtable: { sessionId, turnId } });
}

export function decodeStreamHead(line: unknown): { sessionId: string; turnId: string } | undefined {
  const mark = isObject(line) && line["type"] === "system" ? line["roundtable"] : undefined;
  if (!isObject(mark)) return undefined;
  const { sessionId, turnId } = mark;
  return typeof sessionId === "string" && typeof turnId === "string" ? { sessionId, turnId } : undefined;
}

export function encodeStreamText(backend: Backend, text: string): string {
  if (backend === "codex") return toAsciiLine({ type: "item.completed", item: { type: "agent_message", text } });
  const event = { type: "content_block_delta", delta: { type: "text_delta", text } };
  return toAsciiLine({ type: "stream_event", event });
}

/** Their readers treat several characters as line ends and may resume inside a character. */
function toAsciiLine(value: unknown): string {
  return escapeNonAscii(toJsonLine(value));
}

/** Parses stream lines of any program into the text to show next. */
export interface StreamReader {
  /** New text, or an empty one when the line adds nothing. */
  read(line: unknown): string;
}

/** Programs repeat streamed text at the end: a complete text counts only if nothing of it was streamed. */
export function createStreamReader(): StreamReader {
  let deltaCount = 0;
  let sawAny = false;
  const accept = (text: unknown): string => {
    if (typeof text !== "string" || text === "") return "";
    sawAny = true;
    return text;
  };
  return {
    read(line) {
      if (!isObject(line)) return "";
      const event = line["type"] === "stream_event" && isObject(line["event"]) ? line["event"] : line;
      switch (event["type"]) {
        case "content_block_delta":
          if (at(event, "delta", "type") !== "text_delta") return "";
          deltaCount += 1;
          return accept(at(event, "delta", "text"));
        case "item.completed":
          return at(event, "item", "type") === "agent_message" ? accept(at(event, "item", "text")) : "";
        case "assistant": {
          const isRepeat = deltaCount > 0;
          deltaCount = 0;
          return isRepeat ? "" : accept(textOf(at(event, "message", "content")));
        }
        case "result":
          return sawAny ? "" : accept(event["result"]);
        default:
          return "";
      }
    },
  };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((block) => (at(block, "type") === "text" ? at(block, "text") : ""))
    .filter((text) => typeof text === "string")
    .join("");
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), value);
}
