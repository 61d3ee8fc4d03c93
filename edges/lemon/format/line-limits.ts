/**
 * Size limits of line fields. Some clients read at most 64 KiB per line and stop at a longer one: long texts continue
 * in another message, and tool arguments and output are truncated.
 */
import type { Json } from "../../../src/protocol/index.ts";

export type Fields = Readonly<Record<string, Json>>;

/** Text of one assistant message; a line may contain it twice. */
export const MESSAGE_TEXT_BYTES_MAX = 20 * 1024;
/** How far a message may exceed that to finish its line. */
const LINE_END_CHARS_MAX = 4096;
/** User text or tool output. */
const TEXT_BYTES_MAX = 32 * 1024;
/** Arguments of a call or details of its result. */
const FIELDS_CHARS_MAX = 8 * 1024;
const FIELD_CHARS_MAX = 1024;
const FIELD_DEPTH_MAX = 8;
/** Messages repeated in one line. */
const REPEATED_BYTES_MAX = 40 * 1024;

const encoder = new TextEncoder();

/** The part of a text that fits: all of it, or up to a line end. */
export function fittingPrefix(text: string, bytesMax: number): string {
  const fits = charsWithin(text, bytesMax);
  if (fits === text.length) return text;
  const end = text.indexOf("\n", fits);
  if (end !== -1 && end - fits < LINE_END_CHARS_MAX) return text.slice(0, end + 1);
  if (text.length - fits <= LINE_END_CHARS_MAX) return text;
  return wholeCharacters(text, fits + LINE_END_CHARS_MAX);
}

export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** A truncated text says how much is missing. */
export function beginningOf(text: string): string {
  const fits = charsWithin(text, TEXT_BYTES_MAX);
  return fits === text.length ? text : `${text.slice(0, fits)}\n[${text.length - fits} more characters]`;
}

const short = new WeakMap<object, Fields>();

/** Fields with long texts truncated; cached per object. */
export function shortFields(fields: Fields): Fields {
  const known = short.get(fields);
  if (known !== undefined) return known;
  const isShort = JSON.stringify(fields).length <= FIELDS_CHARS_MAX;
  const made = isShort ? fields : fittedFields(fields);
  short.set(fields, made);
  return made;
}

/** The newest messages that still fit into a line. */
export function newestOf<One extends object>(messages: readonly One[], besides?: object): One[] {
  let bytes = besides === undefined ? 0 : bytesOf(JSON.stringify(besides));
  const from = messages.findLastIndex((message) => {
    bytes += bytesOf(JSON.stringify(message));
    return bytes > REPEATED_BYTES_MAX;
  });
  return messages.slice(from + 1);
}

function fittedFields(fields: Fields): Fields {
  const cut = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutStrings(value, 0)]));
  if (JSON.stringify(cut).length <= FIELDS_CHARS_MAX) return cut;
  const left = `${Object.keys(fields).length} fields of ${JSON.stringify(fields).length} characters`;
  return { left_out: left };
}

function cutStrings(value: Json, depth: number): Json {
  if (typeof value === "string") {
    if (value.length <= FIELD_CHARS_MAX) return value;
    return `${wholeCharacters(value, FIELD_CHARS_MAX)} [${value.length - FIELD_CHARS_MAX} more characters]`;
  }
  if (typeof value !== "object" || value === null || depth >= FIELD_DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((one) => cutStrings(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutStrings(one, depth + 1)]));
}

function charsWithin(text: string, bytesMax: number): number {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= bytesMax) return text.length;
  return encoder.encodeInto(text, new Uint8Array(Math.max(0, bytesMax))).read;
}

/** That many characters, without splitting one. */
export function wholeCharacters(text: string, chars: number): string {
  const isHalved = /[\uD800-\uDBFF]/.test(text.charAt(chars - 1));
  return text.slice(0, isHalved ? chars - 1 : chars);
}
