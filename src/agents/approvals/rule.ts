/**
 * A rule about calls: who may run unasked, who is asked about, who is refused. Written as "tool" or "tool: pattern",
 * `shell: git status*` or `edit: src/**`.
 */
import { APPROVAL_RULE } from "../../protocol/index.ts";

export type Verdict = "allow" | "ask" | "deny";

export interface Rule {
  /** A tool's name, with `*` for any part of it; `shell` and `edit` stand for every tool that does the like. */
  readonly tool: string;
  /** What the command or path must be like; absent for all of them. */
  readonly match?: string;
  readonly verdict: Verdict;
}

/** Null when it is not written as a rule. */
export function parseRule(text: string, verdict: Verdict): Rule | null {
  const [, tool, match] = APPROVAL_RULE.exec(text) ?? [];
  if (tool === undefined) return null;
  return { tool, ...(match === undefined ? {} : { match }), verdict };
}

/** As a user would write it, with what it decides. */
export function ruleText({ tool, match, verdict }: Rule): string {
  return `${verdict} ${match === undefined ? tool : `${tool}: ${match}`}`;
}
