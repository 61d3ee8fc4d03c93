/**
 * Rule about calls: allow, ask or deny. Written "tool" or "tool: pattern", e.g. `shell: git status*` or `edit: src/**`.
 */
import { APPROVAL_RULE, type Verdict } from "../../protocol/index.ts";

export type { Verdict };

export interface Rule {
  /** Tool name, with `*` wildcards; `shell` and `edit` stand for all tools of that kind. */
  readonly tool: string;
  /** Pattern of the command or path; absent: all. */
  readonly match?: string;
  readonly verdict: Verdict;
  /** Where it is configured, for display. */
  readonly from?: string;
}

/** Undefined when it is not valid. */
export function parseRule(text: string, verdict: Verdict): Rule | undefined {
  const [, tool, match] = APPROVAL_RULE.exec(text) ?? [];
  if (tool === undefined) return undefined;
  return { tool, ...(match === undefined ? {} : { match }), verdict };
}

export function writtenRule({ tool, match }: Rule): string {
  return match === undefined ? tool : `${tool}: ${match}`;
}

/** With its verdict. */
export function ruleText(rule: Rule): string {
  return `${rule.verdict} ${writtenRule(rule)}`;
}
