/**
 * Answers approval requests of a one-shot run: calls that match a rule of --allow are approved once, all others are
 * declined. Nothing is stored: the rules last for this run.
 */
import type { Approval, PendingCall, Rule } from "../../agents/index.ts";
import type { AgentKind } from "../../protocol/index.ts";
import { usageFailure } from "../../kit/failure.ts";

export interface Asker {
  readonly member: string;
  readonly kind: AgentKind | undefined;
  readonly cwd: string;
  readonly writable: boolean;
}

/** An entry of `declined` in the result. */
export interface Declined {
  member: string;
  tool: string;
  call: string;
  /** The --allow rule that would have approved it; null where none could. */
  rule: string | null;
}

export type Decision = { readonly answer: string } | { readonly declined: Declined };

export type Approver = (request: Approval, asker: Asker) => Promise<Decision>;

const CALL_CHARS_MAX = 2_000;
const RULE_CHARS_MAX = 200;

/** Throws a Failure for an invalid rule. */
export async function createApprover(texts: readonly string[] = []): Promise<Approver> {
  const rules = texts.length === 0 ? [] : await parseRules(texts);
  return async (request, asker) => {
    const { describePendingCall, judgeCall } = await import("../../agents/index.ts");
    const { onceValue } = await import("../../protocol/index.ts");
    const pending = describePendingCall(request, asker);
    const once = onceValue(request);
    // A read-only session is never widened.
    const isMeant = judgeCall(rules, pending)?.verdict === "allow";
    const isExact = rules.some(({ match }) => match === pending.subjects[0]?.text);
    // A call that may bypass a deny rule needs a person, unless exactly this call was allowed.
    const isAllowed = asker.writable && isMeant && (request.opts?.["doubt"] === undefined || isExact);
    if (isAllowed && once !== undefined) return { answer: once };
    const rule = asker.writable && once !== undefined ? await ruleFor(pending) : null;
    const { tool, call } = request;
    const shown = call.length > CALL_CHARS_MAX ? `${call.slice(0, CALL_CHARS_MAX)}…` : call;
    return { declined: { member: asker.member, tool, call: shown, rule } };
  };
}

async function parseRules(texts: readonly string[]): Promise<Rule[]> {
  const { parseRule } = await import("../../agents/index.ts");
  return texts.map((text) => {
    const rule = parseRule(text, "allow");
    if (rule !== undefined) return rule;
    const hint = 'Use a tool, or a tool and a pattern: --allow "shell: npm test*", --allow "edit: src/**"';
    throw usageFailure(`--allow "${text}" is not a rule`, hint);
  });
}

/** The narrowest rule for this call, if it would approve it. */
async function ruleFor(pending: PendingCall): Promise<string | null> {
  const { judgeCall, parseRule } = await import("../../agents/index.ts");
  const [subject, ...others] = pending.subjects;
  if (subject === undefined || others.length > 0) return null;
  const { kind, text } = subject;
  const written = kind === "command" ? `shell: ${text}` : kind === "path" ? `edit: ${text}` : pending.tool;
  // A trailing * would match any arguments.
  if (written.length > RULE_CHARS_MAX || (kind === "command" && text.trim().endsWith("*"))) return null;
  const rule = parseRule(written, "allow");
  return rule !== undefined && judgeCall([rule], pending)?.verdict === "allow" ? written : null;
}

/** For stderr. */
export function declinedHint({ rule }: Declined): string {
  return rule === null ? "" : `; --allow ${quoted(rule)} lets it run`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
