/** A message as its file holds it: `NNNN-<sender>.md`, front matter and a Markdown body. */
import { decodeDate, encodeDate } from "./dates.ts";
import { encodeList, encodeValue, splitFrontMatter } from "./front-matter.ts";
import { parseMessageFileName } from "./names.ts";

export interface ThreadMessage {
  readonly from: string;
  readonly to: string;
  readonly ts: number;
  readonly refs: readonly string[];
  readonly body: string;
}

/** Separators of files, groups, records and units: whitespace for Python, and all but the last are line ends. */
const SEPARATORS = String.fromCharCode(0x1c, 0x1d, 0x1e);
const LINE_END = new RegExp(`\\r\\n|[\\n\\r\\v\\f${SEPARATORS}\\u0085\\u2028\\u2029]`);
/** Python does not treat a byte order mark as whitespace. */
const TRAILING_SPACE = new RegExp(`(?:[^\\S\\ufeff]|[${SEPARATORS}${String.fromCharCode(0x1f)}\\u0085])+$`);

/** Lines without trailing spaces, ending with exactly one newline. */
export function encodeMessage({ from, to, ts, refs, body }: ThreadMessage): string {
  return [
    "---",
    `from: ${encodeValue(from)}`,
    `to: ${encodeValue(to)}`,
    `timestamp: ${encodeDate(ts)}`,
    ...(refs.length === 0 ? [] : [`refs: ${encodeList(refs)}`]),
    "---",
    "",
    encodeBody(body),
    "",
  ].join("\n");
}

function encodeBody(body: string): string {
  return body
    .toWellFormed()
    .split(LINE_END)
    .map((line) => line.replace(TRAILING_SPACE, ""))
    .join("\n")
    .replace(/\n+$/, "");
}

export interface ReadMessage {
  readonly number: number;
  readonly from: string;
  /** Names, or `all`; empty when the file does not say. */
  readonly to: readonly string[];
  readonly ts: number | undefined;
  readonly refs: readonly string[];
  readonly body: string;
  /** Outcome field of newer programs, in addition to the marker in the body. */
  readonly status: string | undefined;
  /** Error of the file in one sentence; its text is still in `body`. */
  readonly damage: string | undefined;
}

/** Undefined unless the name is that of a message. The sender comes from the file name, as on kingdom's screen. */
export function decodeMessage(file: string, text: string): ReadMessage | undefined {
  const name = parseMessageFileName(file);
  if (name === undefined) return undefined;
  const split = splitFrontMatter(text);
  if (split === undefined) {
    const damage = text === "" ? "the file is empty" : "it does not begin with front matter";
    return {
      number: name.number,
      from: name.sender,
      to: [],
      ts: undefined,
      refs: [],
      body: trim(text),
      status: undefined,
      damage,
    };
  }
  const { values, body } = split;
  const from = one(values["from"])?.toLowerCase();
  return {
    number: name.number,
    from: name.sender,
    to: many(values["to"]),
    ts: decodeDate(one(values["timestamp"])),
    refs: many(values["refs"]),
    body: trim(body),
    status: one(values["status"]),
    damage: from === undefined ? "its front matter does not say who it is from" : undefined,
  };
}

function trim(text: string): string {
  return text.replace(/^\n+|[^\S\ufeff]+$/g, "");
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}

function many(value: string | readonly string[] | undefined): string[] {
  const parts = typeof value === "string" ? value.split(",") : [...(value ?? [])];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
