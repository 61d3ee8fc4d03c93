/** Bodies of imported events, truncated to the limits of an event with a remark. */
import { beginningOf, encodedBytes, fitsEncoded } from "../../../kit/text/encoded-size.ts";
import type { DraftOf, Json } from "../../../protocol/index.ts";
import { fieldsOf } from "../../../kit/fields.ts";

const KIB = 1024;
/** As in a live session: longer texts become several segments. */
const SEGMENT_BYTES_MAX = 128 * KIB;
/** Longer results are stored as blobs and shown by their ends. */
const RESULT_BYTES_MAX = 64 * KIB;
const RESULT_END_CHARS = 8 * KIB;
const MESSAGE_BYTES_MAX = 192 * KIB;
const MESSAGE_BEGINNING_CHARS = 8 * KIB;
const ARGS_BYTES_MAX = 64 * KIB;
const ARGS_DEPTH_MAX = 32;
const ARGS_ITEMS_MAX = 1000;
const SHORT_CHARS_MAX = 32 * KIB;
const NAME_CHARS_MAX = 200;

const encoder = new TextEncoder();

/** Splits a text into chunks that fit into an event; a single one for nearly every text. */
export function splitText(text: string): string[] {
  const chunks: string[] = [];
  let rest = text;
  for (;;) {
    const chunk = beginningOf(rest, SEGMENT_BYTES_MAX);
    chunks.push(chunk);
    if (chunk.length === rest.length) return chunks;
    rest = rest.slice(chunk.length);
  }
}

/** A text for a short field, truncated; encoded it has at most twice as many bytes as characters. */
export function shortText(text: string, charsMax = SHORT_CHARS_MAX): string {
  if (text.length <= charsMax && fitsEncoded(text, 2 * charsMax)) return text;
  const beginning = beginningOf(text.slice(0, charsMax), 2 * charsMax).toWellFormed();
  return `${beginning}… (${text.length} characters)`;
}

/** Name of a model or location, or a code. */
export function shortName(text: string): string {
  return shortText(text, NAME_CHARS_MAX);
}

export interface ShownMessage {
  readonly text: string;
  readonly whole?: string;
}

export function shownMessage(text: string): ShownMessage {
  if (fitsEncoded(text, MESSAGE_BYTES_MAX)) return { text };
  return { text: text.slice(0, MESSAGE_BEGINNING_CHARS).toWellFormed(), whole: text };
}

export interface ShownResult {
  readonly text: string;
  readonly truncated?: NonNullable<DraftOf<"tool_result">["truncated"]>;
  readonly whole?: string;
}

export function shownResult(text: string): ShownResult {
  if (fitsEncoded(text, RESULT_BYTES_MAX)) return { text };
  const head = text.slice(0, RESULT_END_CHARS).toWellFormed();
  const tail = text.slice(-RESULT_END_CHARS).toWellFormed();
  const totalBytes = encoder.encode(text).length;
  const shownBytes = encoder.encode(head).length + encoder.encode(tail).length;
  return {
    text: `${head}\n… ${totalBytes - shownBytes} bytes not shown …\n${tail}`,
    truncated: { totalBytes, shownBytes },
    whole: text,
  };
}

/** Arguments of a tool as JSON of bounded size. */
export function boundedArgs(value: unknown): Json {
  const plain = plainJson(value, ARGS_DEPTH_MAX, Infinity);
  if (encodedBytes(JSON.stringify(plain)) <= ARGS_BYTES_MAX) return plain;
  for (const chars of [8 * KIB, KIB, 128]) {
    const short = plainJson(value, ARGS_DEPTH_MAX, chars);
    if (encodedBytes(JSON.stringify(short)) <= ARGS_BYTES_MAX) return short;
  }
  return "… (too large to store)";
}

/** A value of any type as text. */
export function jsonText(value: unknown): string {
  return JSON.stringify(plainJson(value, ARGS_DEPTH_MAX, Infinity));
}

function plainJson(value: unknown, depth: number, charsMax: number): Json {
  if (typeof value === "string") return shortText(value.toWellFormed(), charsMax);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean" || value === null || value === undefined) return value ?? null;
  if (depth === 0) return "… (nested too deeply to store)";
  if (Array.isArray(value)) {
    return value.slice(0, ARGS_ITEMS_MAX).map((one) => plainJson(one, depth - 1, charsMax));
  }
  return Object.fromEntries(
    Object.entries(fieldsOf(value) ?? {})
      .slice(0, ARGS_ITEMS_MAX)
      .map(([key, one]) => [shortText(key, charsMax), plainJson(one, depth - 1, charsMax)]),
  );
}
