/** Whether a rule that denies or asks is about a call: for certain, or as far as can be known. */
import { MORE_THAN_EDITORS } from "../../protocol/index.ts";
import { matchesGlob } from "../tools/glob-match.ts";
import { namesOf, type PendingCall, type Subject } from "./pending-call.ts";
import { parseFields } from "./call-fields.ts";
import { stringsIn } from "./call-strings.ts";
import { denyChanges, denyCommand, isAboutChanges } from "./judge-command.ts";
import { PathPattern } from "./path-rules.ts";
import { namesOfPath } from "./real-path.ts";
import type { Rule } from "./rule.ts";

export interface Denial {
  readonly isCertain: boolean;
  readonly reason?: string;
}

/** Tools of servers that change files go by such names. */
const CHANGING = /write|edit|create|delete|remove|move|rename|patch|put|save|append|replace|insert|update|upload|copy/i;

/** The first that is certain, else the first that may be; null when it is not about the call. */
export function findDenial(rule: Rule, call: PendingCall): Denial | null {
  let maybe: Denial | null = null;
  for (const subject of call.subjects) {
    const denial = inSubject(rule, call, subject);
    if (denial?.isCertain === true) return denial;
    maybe ??= denial;
  }
  return maybe;
}

function inSubject(rule: Rule, call: PendingCall, subject: Subject): Denial | null {
  const { match } = rule;
  const isMeant = isAboutAny(rule, call, subject);
  if (isMeant && match === undefined) return { isCertain: true };
  if (subject.kind === "path") return isMeant && match !== undefined ? inPath(match, call, subject) : null;
  if (subject.kind === "call") {
    const text = subject.text.toLowerCase();
    if (isMeant && match !== undefined && matchesGlob([match.toLowerCase()], [text])) return { isCertain: true };
    const isChange = match !== undefined && isAboutChanges(rule) && CHANGING.test(call.tool);
    return isChange ? inStrings(match, call, subject) : null;
  }
  const byCommand = isMeant && match !== undefined ? denyCommand(match, call, subject) : null;
  if (byCommand?.isCertain === true || !isAboutChanges(rule)) return byCommand;
  const byChange = denyChanges(match, call, subject);
  return byChange?.isCertain === true ? byChange : (byCommand ?? byChange);
}

function inPath(match: string, call: PendingCall, { text, aliases = [] }: Subject): Denial | null {
  const { cwd } = call;
  const names = [text, ...aliases];
  const all = cwd === undefined ? names : names.flatMap((name) => namesOfPath(cwd, name));
  const relation = new PathPattern(match, cwd).match(
    all,
    cwd === undefined ? undefined : all.find((one) => one.startsWith("/")),
  );
  if (relation === "same" || relation === "below") return { isCertain: true, reason: `it changes ${text}` };
  const isDeep = MORE_THAN_EDITORS.has(call.tool.toLowerCase());
  return relation === "above" && isDeep ? { isCertain: true, reason: `it changes ${text}` } : null;
}

/** A tool of another kind that is given the name of a file. */
function inStrings(match: string, { cwd }: PendingCall, { text }: Subject): Denial | null {
  const fields = parseFields(text);
  const pattern = new PathPattern(match, cwd);
  const named = fields === null ? undefined : stringsIn(fields).find((one) => isMeantBy(pattern, one, cwd));
  return named === undefined ? null : { isCertain: false, reason: `it may change ${named}` };
}

function isMeantBy(pattern: PathPattern, name: string, cwd: string | undefined): boolean {
  const relation = pattern.match(cwd === undefined ? [name] : namesOfPath(cwd, name));
  return relation === "same" || relation === "below";
}

/** By name exactly, for rules that allow. */
export function isAbout({ tool }: Rule, call: PendingCall, subject: Subject): boolean {
  return namesOf(call, subject).some((name) => matchesGlob([tool], [name]));
}

/** In any case, for rules that deny. */
function isAboutAny({ tool }: Rule, call: PendingCall, subject: Subject): boolean {
  return namesOf(call, subject).some((name) => matchesGlob([tool.toLowerCase()], [name.toLowerCase()]));
}
