/**
 * What the rules say of a call. Rules that refuse are looked at first, then those that ask, then those that allow; the
 * first that fits decides.
 * Promises: a pattern allows a command only when that is one simple command; a wildcard never allows a change of files
 * that govern agents or git; a call with several subjects is allowed only when each is.
 */
import { matchesGlob } from "../embedded/tools/glob-match.ts";
import { namesOf, type AskedCall, type Subject } from "./asked-call.ts";
import { isProtected } from "./protected-paths.ts";
import { ruleText, type Rule, type Verdict } from "./rule.ts";
import { isSimpleCommand, piecesOf } from "./simple-command.ts";

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
export function judgeCall(rules: readonly Rule[], asked: AskedCall): Ruling | null {
  for (const verdict of ["deny", "ask"] as const) {
    const rule = rules.find((one) => one.verdict === verdict && asked.subjects.some((each) => warns(one, asked, each)));
    if (rule !== undefined) return { verdict, by: ruleText(rule) };
  }
  const allowing = asked.subjects.map((subject) =>
    rules.find((one) => one.verdict === "allow" && allows(one, asked, subject)),
  );
  const [first] = allowing;
  if (first === undefined || allowing.includes(undefined)) return null;
  return { verdict: "allow", by: ruleText(first) };
}

/** For refusing and asking: wide, so that another spelling of the same does not get past it. */
function warns(rule: Rule, asked: AskedCall, subject: Subject): boolean {
  if (!isAbout(rule, asked, subject)) return false;
  const { match } = rule;
  if (match === undefined) return true;
  const texts = subject.kind === "command" ? piecesOf(subject.text) : [subject.text];
  return texts.some((text) => fits(match.toLowerCase(), { kind: subject.kind, text: text.toLowerCase() }));
}

function allows(rule: Rule, asked: AskedCall, subject: Subject): boolean {
  if (!isAbout(rule, asked, subject)) return false;
  const { match } = rule;
  if (match === undefined) return subject.kind !== "path" || !asked.changesFiles || !isProtected(subject.text);
  if (!asked.isWhole) return false;
  if (match === subject.text) return true;
  if (subject.kind === "call" || !fits(match, subject)) return false;
  return subject.kind === "command" ? isSimpleCommand(subject.text) : !asked.changesFiles || !isProtected(subject.text);
}

function isAbout({ tool }: Rule, asked: AskedCall, subject: Subject): boolean {
  return namesOf(asked, subject).some((name) => matchesGlob([tool], [name]));
}

function fits(match: string, { kind, text }: Subject): boolean {
  return kind === "path" ? matchesGlob(match.split("/"), text.split("/")) : matchesGlob([match], [text]);
}
