/** Whether a rule that denies or asks is about a call: for certain, or as far as can be known. */
import { MORE_THAN_EDITORS } from "../../protocol/index.ts";
import { matchesGlob } from "../embedded/tools/glob-match.ts";
import { namesOf, type AskedCall, type Subject } from "./asked-call.ts";
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
export function findDenial(rule: Rule, asked: AskedCall): Denial | null {
  let maybe: Denial | null = null;
  for (const subject of asked.subjects) {
    const found = inSubject(rule, asked, subject);
    if (found?.isCertain === true) return found;
    maybe ??= found;
  }
  return maybe;
}

function inSubject(rule: Rule, asked: AskedCall, subject: Subject): Denial | null {
  const { match } = rule;
  const isMeant = isAboutAny(rule, asked, subject);
  if (isMeant && match === undefined) return { isCertain: true };
  if (subject.kind === "path") return isMeant && match !== undefined ? inPath(match, asked, subject) : null;
  if (subject.kind === "call") {
    const text = subject.text.toLowerCase();
    if (isMeant && match !== undefined && matchesGlob([match.toLowerCase()], [text])) return { isCertain: true };
    const isChange = match !== undefined && isAboutChanges(rule) && CHANGING.test(asked.tool);
    return isChange ? inStrings(match, asked, subject) : null;
  }
  const byCommand = isMeant && match !== undefined ? denyCommand(match, asked, subject) : null;
  if (byCommand?.isCertain === true || !isAboutChanges(rule)) return byCommand;
  const byChange = denyChanges(match, asked, subject);
  return byChange?.isCertain === true ? byChange : (byCommand ?? byChange);
}

function inPath(match: string, asked: AskedCall, { text, aliases = [] }: Subject): Denial | null {
  const { cwd } = asked;
  const names = [text, ...aliases];
  const all = cwd === undefined ? names : names.flatMap((name) => namesOfPath(cwd, name));
  const found = new PathPattern(match, cwd).match(
    all,
    cwd === undefined ? undefined : all.find((one) => one.startsWith("/")),
  );
  if (found === "same" || found === "below") return { isCertain: true, reason: `it changes ${text}` };
  const isDeep = MORE_THAN_EDITORS.has(asked.tool.toLowerCase());
  return found === "above" && isDeep ? { isCertain: true, reason: `it changes ${text}` } : null;
}

/** A tool of another kind that is given the name of a file. */
function inStrings(match: string, { cwd }: AskedCall, { text }: Subject): Denial | null {
  const fields = parseFields(text);
  const pattern = new PathPattern(match, cwd);
  const named = fields === null ? undefined : stringsIn(fields).find((one) => isMeantBy(pattern, one, cwd));
  return named === undefined ? null : { isCertain: false, reason: `it may change ${named}` };
}

function isMeantBy(pattern: PathPattern, name: string, cwd: string | undefined): boolean {
  const found = pattern.match(cwd === undefined ? [name] : namesOfPath(cwd, name));
  return found === "same" || found === "below";
}

/** By name exactly, for rules that allow. */
export function isAbout({ tool }: Rule, asked: AskedCall, subject: Subject): boolean {
  return namesOf(asked, subject).some((name) => matchesGlob([tool], [name]));
}

/** In any case, for rules that deny. */
function isAboutAny({ tool }: Rule, asked: AskedCall, subject: Subject): boolean {
  return namesOf(asked, subject).some((name) => matchesGlob([tool.toLowerCase()], [name.toLowerCase()]));
}
