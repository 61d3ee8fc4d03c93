/** The one spelling of a call, and the hash by which an approval names exactly it. */
import { createHash } from "node:crypto";
import type { Json } from "../../../protocol/index.ts";

export interface CanonicalCall {
  readonly text: string;
  readonly hash: string;
}

/** Member, directory, tool, arguments and what the plan is bound to: another of any of them is another call. */
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

/** Keys in order, so that two spellings of one value are one. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
