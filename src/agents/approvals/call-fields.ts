/** The call of an approval request as JSON, and commands so that none of them is mistaken for it. */
import type { Json } from "../../protocol/index.ts";

export type CallFields = Readonly<Record<string, Json>>;

const CALL_CHARS_MAX = 256 * 1024;

/** Null for what is no JSON object, as most commands are not. */
export function parseFields(call: string): CallFields | null {
  if (!call.startsWith("{") || call.length > CALL_CHARS_MAX) return null;
  try {
    return asFields(JSON.parse(call) as Json);
  } catch {
    // A command that begins with a brace.
    return null;
  }
}

export function asFields(value: Json | undefined): CallFields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

/**
 * A command as the call of a request: itself, or inside of JSON when it is JSON. Otherwise what the model wrote as a
 * command would be judged by the fields that it shows, while the shell runs what is substituted in it.
 */
export function commandCall(command: string): string {
  return parseFields(command) === null ? command : JSON.stringify({ command });
}

// Texts in a call that may be names of files.
const STRINGS_MAX = 2_000;
const NAME_CHARS_MAX = 4096;

/** `passed`: keys of what is certainly none. */
export function stringsIn(value: Json, passed: ReadonlySet<string> = new Set(), strings: string[] = []): string[] {
  if (strings.length >= STRINGS_MAX) return strings;
  if (typeof value === "string") {
    if (value !== "" && value.length <= NAME_CHARS_MAX && !/[\n\0]/.test(value)) strings.push(value);
  } else if (Array.isArray(value)) {
    for (const one of value) stringsIn(one, passed, strings);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      if (!passed.has(key) || typeof one === "object") stringsIn(one, passed, strings);
    }
  }
  return strings;
}

// The one spelling of a value: keys in order, so that two spellings of one value are one.
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
