/**
 * The user's keys file: JSON with comments, action → key or list of keys; `[]` and "none" unbind an action. Never
 * throws: each error becomes one line in `problems` and affects only its entry.
 */
import type { KeyId } from "@earendil-works/pi-tui";
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { nearestName } from "../../kit/text/nearest-name.ts";
import { ACTION_NAMES, type ActionName, ACTIONS, isActionName, mayShareKey } from "./actions.ts";
import { ACCEPTED_KEYS, parseKeyName, sameBytes, showKeyName } from "./key-names.ts";
import { createKeymap, type Keymap } from "./keymap.ts";

export const KEYS_FILE_CHARS_MAX = 256 * 1024;

const PROBLEMS_MAX = 50;

export interface ParsedKeymap {
  readonly keymap: Keymap;
  readonly problems: readonly string[];
}

type Chosen = Map<ActionName, readonly KeyId[]>;

export function parseKeymap(jsonText: string): ParsedKeymap {
  const problems: string[] = [];
  const chosen: Chosen = new Map();
  for (const [name, value] of entriesOf(jsonText, problems)) {
    if (name === "$schema") continue;
    if (!isActionName(name)) {
      problems.push(unknownAction(name));
      continue;
    }
    if (chosen.has(name)) problems.push(`"${name}" is set twice; the last one counts`);
    const keys = readKeys(name, value, problems);
    if (keys !== undefined) chosen.set(name, keys);
  }
  const bindings = settle(chosen, problems);
  if (problems.length > PROBLEMS_MAX) {
    problems.splice(PROBLEMS_MAX, problems.length, `and ${problems.length - PROBLEMS_MAX} more`);
  }
  return { keymap: createKeymap(Object.fromEntries(bindings)), problems };
}

function entriesOf(text: string, problems: string[]): [name: string, value: unknown][] {
  if (text.length > KEYS_FILE_CHARS_MAX) {
    problems.push(`the keys file has ${text.length} characters; ${KEYS_FILE_CHARS_MAX} are allowed`);
    return [];
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text.replace(/^\ufeff/, " "), errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined) {
    const lines = text.slice(0, first.offset).split("\n");
    const location = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    problems.push(
      `the keys file is not valid JSON at ${location} (${printParseErrorCode(first.error)}); it is ignored`,
    );
    return [];
  }
  if (tree === undefined) return [];
  if (tree.type !== "object") {
    problems.push(`the keys file must be an object like { "send": "enter" }, found ${tree.type}`);
    return [];
  }
  return (tree.children ?? []).flatMap((property) => entry(property));
}

function entry({ children }: Node): [string, unknown][] {
  const [name, value] = children ?? [];
  return name === undefined || value === undefined ? [] : [[String(name.value), getNodeValue(value) as unknown]];
}

function readKeys(action: ActionName, value: unknown, problems: string[]): readonly KeyId[] | undefined {
  if (value === "none" || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const keys = list.flatMap((item) => readKey(action, item, problems));
  // When every key is invalid the default stays: a typo must not unbind Enter.
  return keys.length === 0 && list.length > 0 ? undefined : [...new Set(keys)];
}

function readKey(action: ActionName, item: unknown, problems: string[]): KeyId[] {
  if (typeof item !== "string") {
    problems.push(`"${action}" takes a key, a list of keys or "none", found ${JSON.stringify(item)}`);
    return [];
  }
  const name = parseKeyName(item);
  if (name.problem !== undefined) {
    problems.push(`"${action}": no such key "${item}": ${name.problem}. Accepted: ${ACCEPTED_KEYS}`);
    return [];
  }
  if (name.isCharacter && ACTIONS[action].isForEmptyBox !== true) {
    problems.push(`"${action}": "${item}" is needed for writing; add ctrl+ or alt+`);
    return [];
  }
  return [name.key];
}

/** A chosen key is removed from its default action; if two actions chose it, the first keeps it. */
function settle(chosen: Chosen, problems: string[]): Chosen {
  const settled: Chosen = new Map();
  for (const [action, keys] of chosen) {
    const free = keys.filter((key) => {
      const rival = holderOf(key, action, settled);
      if (rival !== undefined)
        problems.push(`"${key}" is bound to both "${rival}" and "${action}"; "${rival}" keeps it`);
      return rival === undefined;
    });
    settled.set(action, free);
  }
  for (const action of ACTION_NAMES.filter((name) => !chosen.has(name))) {
    const keys = ACTIONS[action].keys;
    const left = keys.filter((key) => holderOf(key, action, settled, chosen) === undefined);
    if (left.length === keys.length) continue;
    const lost = keys.filter((key) => !left.includes(key)).map((key) => showKeyName(key));
    const rest = left.length === 0 ? "has no key now" : `is on ${left.map((key) => showKeyName(key)).join(", ")}`;
    problems.push(`${lost.join(", ")} no longer does "${action}", which ${rest}`);
    settled.set(action, left);
  }
  return settled;
}

/** The user's binding that already has this key. */
function holderOf(key: KeyId, action: ActionName, settled: Chosen, among: Chosen = settled): ActionName | undefined {
  for (const [other, keys] of settled) {
    if (other === action || !among.has(other) || mayShareKey(action, other)) continue;
    if (keys.some((held) => sameBytes(held) === sameBytes(key))) return other;
  }
  return undefined;
}

function unknownAction(name: string): string {
  const near = nearestName(name, ACTION_NAMES);
  return near === undefined
    ? `unknown action "${name}". Known: ${ACTION_NAMES.join(", ")}`
    : `unknown action "${name}". Did you mean "${near}"?`;
}

/** Contents of the keys file, or why it could not be read. */
export interface KeysFile {
  readonly path: string;
  readonly text: string;
  /** Why it could not be read. */
  readonly problem?: string;
}

export function readKeysFile({ path, text, problem }: KeysFile): { keymap: Keymap; problems: readonly string[] } {
  const { keymap, problems } = parseKeymap(text);
  return { keymap, problems: problem === undefined ? problems.map((one) => `${path}: ${one}`) : [problem] };
}
