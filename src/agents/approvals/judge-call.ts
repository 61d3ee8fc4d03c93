/**
 * What the rules say of a call. Rules that deny are looked at first, then those that ask, then those that allow; the
 * first that fits decides.
 * Promises: a pattern allows a shell line only when every command in it is allowed, nothing in it is opaque and it writes
 * no file that may not be changed; what may be denied but is not understood is asked about; a wildcard never allows a
 * change of files that govern agents or git; a call with several subjects is allowed only when each is.
 */
import { matchesGlob } from "../tools/glob-match.ts";
import { isGoverned } from "../sandbox/governed/is-governed.ts";
import type { PendingCall, Subject } from "./pending-call.ts";
import { allowCommand } from "./judge-command.ts";
import { findDenial, isAbout, type Denial } from "./find-denial.ts";
import { ruleText, type Rule, type Verdict } from "./rule.ts";
import type { Why } from "./scoped-options.ts";

export interface Ruling {
  readonly verdict: Verdict;
  /** The rule that decided, as its user wrote it. */
  readonly by: string;
  /** What in the call made the rule fit, for people: "it writes build.log". */
  readonly reason?: string;
  /** Asked because the call is not understood well enough for a rule, so what a person has allowed before still counts. */
  readonly isDoubt?: true;
}

/** Null when no rule is about it. */
export function judgeCall(rules: readonly Rule[], call: PendingCall): Ruling | null {
  const denials = rules
    .filter(({ verdict }) => verdict !== "allow")
    .map((rule) => ({ rule, denial: findDenial(rule, call) }));
  for (const verdict of ["deny", "ask"] as const) {
    const one = denials.find(({ rule, denial }) => rule.verdict === verdict && denial?.isCertain === true);
    if (one !== undefined) return { verdict, by: ruleText(one.rule), ...reasonOf(one.denial) };
  }
  const doubt = denials.find(({ denial }) => denial !== null);
  if (doubt !== undefined) {
    return { verdict: "ask", by: ruleText(doubt.rule), ...reasonOf(doubt.denial), isDoubt: true };
  }
  const allowing = call.subjects.map((subject) => allowSubject(rules, call, subject));
  const [first] = allowing;
  if (first === undefined || !("rule" in first) || allowing.some((one) => !("rule" in one))) return null;
  return { verdict: "allow", by: ruleText(first.rule) };
}

/** Why a person is asked although a rule seems to be about it; empty when none does. */
export function whyApprovalNeeded(rules: readonly Rule[], call: PendingCall): Why {
  const ruling = judgeCall(rules, call);
  if (ruling !== null && ruling.verdict !== "ask") return {};
  if (ruling?.isDoubt === true) return { ...because(ruling.reason), doubt: ruling.by };
  if (ruling !== null) return { because: `a rule of yours asks: ${ruling.by.replace(/^ask /, "")}` };
  const near = call.subjects
    .map((subject) => allowSubject(rules, call, subject))
    .find((one) => "reason" in one && one.isNear);
  return near !== undefined && "reason" in near ? because(near.reason) : {};
}

function because(reason: string | undefined): Why {
  return reason === undefined ? {} : { because: reason };
}

function reasonOf(denial: Denial | null): Pick<Ruling, "reason"> {
  return denial?.reason === undefined ? {} : { reason: denial.reason };
}

type Allowed = { readonly rule: Rule } | { readonly reason: string; readonly isNear: boolean };

const NOT_WHOLE = "it has more to it than is known here";

function allowSubject(rules: readonly Rule[], call: PendingCall, subject: Subject): Allowed {
  const meant = rules.filter((rule) => rule.verdict === "allow" && isAbout(rule, call, subject));
  const isChange = subject.kind === "path" && call.changesFiles;
  const governs = isChange && [subject.text, ...(subject.aliases ?? [])].some(isGoverned);
  const any = meant.find(({ match }) => match === undefined);
  const isOpaque = call.changesFiles && !call.isWhole;
  if (any !== undefined && !governs && !isOpaque) return { rule: any };
  if (!call.isWhole) return { reason: NOT_WHOLE, isNear: meant.length > 0 };
  const exact = meant.find(({ match }) => match === subject.text);
  if (exact !== undefined) return { rule: exact };
  if (subject.kind === "command") {
    return allowCommand(meant, call, subject, (path) => "rule" in allowSubject(rules, CHANGE, path));
  }
  const fitting =
    subject.kind === "path" ? meant.find(({ match }) => match !== undefined && fits(match, subject.text)) : undefined;
  if (fitting === undefined) return { reason: `no rule allows it`, isNear: false };
  return governs ? { reason: `${subject.text} governs agents or git`, isNear: true } : { rule: fitting };
}

/** What a redirection does. */
const CHANGE: PendingCall = { tool: "edit", changesFiles: true, subjects: [], isWhole: true };

function fits(match: string, text: string): boolean {
  return matchesGlob(match.split("/"), text.split("/"));
}
