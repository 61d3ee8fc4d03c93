/**
 * A rule about calls: who may run unasked, who is asked about, who is refused. Written as "tool" or "tool: pattern",
 * `shell: git status*` or `edit: src/**`.
 */
import { APPROVAL_RULE, type Verdict } from "../../protocol/index.ts";

export type { Verdict };

export interface Rule {
  /** A tool's name, with `*` for any part of it; `shell` and `edit` stand for every tool that does the like. */
  readonly tool: string;
  /** What the command or path must be like; absent for all of them. */
  readonly match?: string;
  readonly verdict: Verdict;
  /** Where it is written, for people. */
  readonly from?: string;
}

/** Null when it is not written as a rule. */
export function parseRule(text: string, verdict: Verdict): Rule | null {
  const [, tool, match] = APPROVAL_RULE.exec(text) ?? [];
  if (tool === undefined) return null;
  return { tool, ...(match === undefined ? {} : { match }), verdict };
}

/** As a user would write it. */
export function writtenRule({ tool, match }: Rule): string {
  return match === undefined ? tool : `${tool}: ${match}`;
}

/** With what it decides. */
export function ruleText(rule: Rule): string {
  return `${rule.verdict} ${writtenRule(rule)}`;
}
