/** The one spelling of a call, and the hash by which an approval names exactly it. */
import { createHash } from "node:crypto";
import type { Json } from "../../../protocol/index.ts";
import { canonicalJson } from "../../approvals/canonical-json.ts";

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
