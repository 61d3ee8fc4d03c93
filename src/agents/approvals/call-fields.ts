/** The call of an approval request as JSON, with commands encoded so that none is mistaken for a call. */
import type { Json } from "../../protocol/index.ts";

export type CallFields = Readonly<Record<string, Json>>;

const CALL_CHARS_MAX = 256 * 1024;

/** Undefined when it is not a JSON object, as for most commands. */
export function parseFields(call: string): CallFields | undefined {
  if (!call.startsWith("{") || call.length > CALL_CHARS_MAX) return undefined;
  try {
    return asFields(JSON.parse(call) as Json);
  } catch {
    // A command that starts with a brace.
    return undefined;
  }
}

export function asFields(value: Json | undefined): CallFields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}

/**
 * A command as the call of a request: plain, or wrapped in JSON if it is JSON itself. Otherwise a model could write a
 * command that is judged by the fields it shows while the shell runs its substitutions.
 */
export function commandCall(command: string): string {
  return parseFields(command) === undefined ? command : JSON.stringify({ command });
}

// Strings of a call that may be file names.
const STRINGS_MAX = 2_000;
const NAME_CHARS_MAX = 4096;

/** `passed`: keys whose values are certainly not file names. */
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

/** Where a tool puts what it has read. */
const TARGET_KEY = /dest|out|save|target|write|into|to$|local/i;
const LINES_MAX = 50;

/** Whatever a foreign tool may take for a file: values, keys and lines of texts. `isReading`: only where it puts something. */
export function namesGiven(value: Json, isReading: boolean, key = "", names = new Set<string>()): Set<string> {
  if (names.size >= STRINGS_MAX) return names;
  if (typeof value === "string") {
    if (!isReading || TARGET_KEY.test(key)) for (const line of value.split("\n", LINES_MAX)) addName(names, line);
  } else if (Array.isArray(value)) {
    for (const one of value) namesGiven(one, isReading, key, names);
  } else if (typeof value === "object" && value !== null) {
    for (const [own, one] of Object.entries(value)) {
      if (!isReading) addName(names, own);
      namesGiven(one, isReading, own, names);
    }
  }
  return names;
}

/** Lines by which a patch names a file. */
const PATCHED = /^(?:---|\+\+\+|\*\*\* [A-Z][\w ]*:|diff --git|rename to)\s+(.+)$/;

function addName(names: Set<string>, text: string): void {
  // A program in C sees no more than what is before it.
  const name = (text.split("\0", 1)[0] ?? "").trim();
  if (name === "" || name.length > NAME_CHARS_MAX) return;
  const patched = PATCHED.exec(name)?.[1]?.split(/\s+/) ?? [];
  const listed = /\s/.test(name) ? [] : name.split(/[,;'"`#?:=@{}[\]]+/);
  for (const one of [...listed, ...patched.map((file) => file.replace(/^[ab]\//, ""))]) if (one !== "") names.add(one);
  names.add(name);
  if (/^\.?\.?\\|^[^\\\s]+\\[^\\\s]/.test(name)) names.add(name.replaceAll("\\", "/"));
  try {
    names.add(decodeURIComponent(name));
  } catch {
    // A per cent sign of its own.
  }
}

const COMMAND_KEY = /command|cmd|script|shell|bash|exec|argv|program|^(?:run|bin|code|line|input)$/i;
const ARGUMENT_KEY = /^(?:arg|param)/i;

/** What a foreign tool may take for a command line: by the names of its arguments, with a list of words as one line. */
export function commandsIn(value: Json, lines: string[] = [], isOfCommand = false): string[] {
  if (typeof value !== "object" || value === null || lines.length >= STRINGS_MAX) return lines;
  const entries = Object.entries(value);
  const args = entries.filter(([key]) => ARGUMENT_KEY.test(key)).flatMap(([, one]) => textsOf(one));
  for (const [key, one] of entries) {
    const isCommand = isOfCommand || COMMAND_KEY.test(key);
    const own = isCommand ? textsOf(one) : [];
    // A list may be the words of a command, or commands.
    if (own.length > 0) lines.push(own.join(" "), [...own, ...args].join(" "), ...own);
    commandsIn(one, lines, isCommand);
  }
  return lines;
}

function textsOf(value: Json): string[] {
  return [value].flat().filter((one) => typeof one === "string");
}

// Canonical JSON with sorted keys.
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
