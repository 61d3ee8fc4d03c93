/** Canonical text of a call and the hash that identifies it in an approval; arguments for display. */
import { createHash } from "node:crypto";
import type { Json } from "../../../protocol/index.ts";
import { canonicalJson } from "../../approvals/call-fields.ts";

export interface CanonicalCall {
  readonly text: string;
  readonly hash: string;
}

/** Member, directory, tool, arguments and what the plan is bound to: changing any of them makes it another call. */
export function canonicalCall(facts: {
  member: string;
  cwd: string;
  tool: string;
  args: Json;
  bound: Json | undefined;
}): CanonicalCall {
  const { bound, ...rest } = facts;
  const text = canonicalJson({ ...rest, ...(bound === undefined ? {} : { bound }) });
  return { text, hash: sha256(text) };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

// Nesting limit, checked before parsing: a recursive walk over a million levels overflows the stack.
const DEPTH_MAX = 64;

/** Single pass, also over truncated JSON. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const letter = json[at];
    if (isText) {
      if (letter === "\\") at++;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === "[" || letter === "{") depth++;
    else if (letter === "]" || letter === "}") depth--;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

// Arguments for display, with long parts truncated.
const TEXT_CHARS_MAX = 8_000;
const ITEMS_MAX = 200;
const SHOWN_DEPTH_MAX = 12;

export function shownArgs(args: Json, depth = 0): Json {
  if (typeof args === "string") {
    const rest = args.length - TEXT_CHARS_MAX;
    return rest > 0 ? `${args.slice(0, TEXT_CHARS_MAX)}… (${rest} more characters)` : args;
  }
  if (typeof args !== "object" || args === null) return args;
  if (depth >= SHOWN_DEPTH_MAX) return "…";
  if (Array.isArray(args)) return args.slice(0, ITEMS_MAX).map((item) => shownArgs(item, depth + 1));
  const entries = Object.entries(args).slice(0, ITEMS_MAX);
  return Object.fromEntries(entries.map(([key, item]) => [key.slice(0, 200), shownArgs(item, depth + 1)]));
}
