/**
 * Decision of the rules about a call: deny rules first, then ask, then allow; the first match decides. A pattern allows
 * a shell line only when every command in it is allowed, nothing in it is opaque and it writes no protected file. A
 * call that may be denied but is not understood needs the user's approval. A wildcard never allows changes of files
 * that govern agents or git. A call with several subjects is allowed only when each is.
 */
import { matchesGlob } from "../tools/glob-match.ts";
import { isGoverned } from "../sandbox/governed/is-governed.ts";
import { namesOf, type PendingCall, type Subject } from "./pending-call.ts";
import { allowCommand, denyChanges, denyCommand, isAboutChanges, isAboutCommands } from "./judge-command.ts";
import { ruleText, type Rule, type Verdict } from "./rule.ts";
import type { Why } from "./scoped-options.ts";
import { MORE_THAN_EDITORS } from "../../protocol/index.ts";
import { commandsIn, namesGiven, parseFields } from "./call-fields.ts";
import { PathPattern } from "./path-rules.ts";
import { namesOfPath, withHome } from "./real-path.ts";
import { shown } from "./shell/finding.ts";
import path from "node:path";
import { fileURLToPath } from "node:url";

export interface Ruling {
  readonly verdict: Verdict;
  /** The deciding rule as the user wrote it. */
  readonly by: string;
  /** What in the call matched, for display: "it writes build.log". */
  readonly reason?: string;
  /** Asked because the call is not understood well enough; earlier approvals of the user still count. */
  readonly isDoubt?: true;
}

/** Undefined when no rule matches. */
export function judgeCall(rules: readonly Rule[], call: PendingCall): Ruling | undefined {
  const denials = rules
    .filter(({ verdict }) => verdict !== "allow")
    .map((rule) => ({ rule, denial: findDenial(rule, call) }));
  for (const verdict of ["deny", "ask"] as const) {
    const one = denials.find(({ rule, denial }) => rule.verdict === verdict && denial?.isCertain === true);
    if (one !== undefined) return { verdict, by: ruleText(one.rule), ...reasonOf(one.denial) };
  }
  const doubt = denials.find(({ denial }) => denial !== undefined);
  if (doubt !== undefined) {
    return { verdict: "ask", by: ruleText(doubt.rule), ...reasonOf(doubt.denial), isDoubt: true };
  }
  const allowing = call.subjects.map((subject) => allowSubject(rules, call, subject));
  const [first] = allowing;
  if (first === undefined || !("rule" in first) || allowing.some((one) => !("rule" in one))) return undefined;
  return { verdict: "allow", by: ruleText(first.rule) };
}

/** Why the user is asked although a rule seems to match; empty when none does. */
export function whyApprovalNeeded(rules: readonly Rule[], call: PendingCall): Why {
  const ruling = judgeCall(rules, call);
  if (ruling !== undefined && ruling.verdict !== "ask") return {};
  if (ruling?.isDoubt === true) return { ...because(ruling.reason), doubt: ruling.by };
  if (ruling !== undefined) return { because: `one of your rules asks: ${ruling.by.replace(/^ask /, "")}` };
  const near = call.subjects
    .map((subject) => allowSubject(rules, call, subject))
    .find((one) => "reason" in one && one.isNear);
  return near !== undefined && "reason" in near ? because(near.reason) : {};
}

function because(reason: string | undefined): Why {
  return reason === undefined ? {} : { because: reason };
}

function reasonOf(denial: Denial | undefined): Pick<Ruling, "reason"> {
  return denial?.reason === undefined ? {} : { reason: denial.reason };
}

type Allowed = { readonly rule: Rule } | { readonly reason: string; readonly isNear: boolean };

const NOT_WHOLE = "not everything it does is known";

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

/** A pattern from the session's folder is never about a file outside of it, whose name is absolute. */
function fits(match: string, text: string): boolean {
  const pattern = withHome(match);
  return path.isAbsolute(pattern) === path.isAbsolute(text) && matchesGlob(pattern.split("/"), text.split("/"));
}

// Whether a deny or ask rule matches a call: certainly, or possibly.
interface Denial {
  readonly isCertain: boolean;
  readonly reason?: string;
}

/** Names of tools of servers that only look, unless they name something else too. */
const READING = /^(?:read|get|list|search|find|fetch|view|show|stat|grep|glob|describe|query|diff|log|status|info)s?$/;
const CHANGING =
  /write|edit|create|delete|remove|move|rename|patch|put|save|append|replace|insert|update|upload|copy|set|run|exec|apply|touch|truncate|modify|store|unlink|sync|add|make|mkdir|extract|unpack|restore|revert|checkout|commit|format|fix|clear|wipe|erase|destroy|drop|dump|rotate|publish|purge|flush|reset/i;

/** Whole words of its own name: `mcp__log__post` and `blog_post` read nothing. */
function isReadingTool(tool: string): boolean {
  const own = tool.replace(/^mcp__.*?__/i, "");
  const verbs = own
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return verbs.some((one) => READING.test(one)) && !CHANGING.test(own);
}

/** A certain match if there is one, else a possible one; undefined when none matches. */
function findDenial(rule: Rule, call: PendingCall): Denial | undefined {
  let maybe: Denial | undefined;
  for (const subject of call.subjects) {
    const denial = inSubject(rule, call, subject);
    if (denial?.isCertain === true) return denial;
    maybe ??= denial;
  }
  return maybe;
}

function inSubject(rule: Rule, call: PendingCall, subject: Subject): Denial | undefined {
  const { match } = rule;
  const isMeant = isAboutAny(rule, call, subject);
  if (isMeant && match === undefined) return { isCertain: true };
  if (subject.kind === "path") return isMeant && match !== undefined ? inPath(match, call, subject) : undefined;
  if (subject.kind === "call") {
    const text = subject.text.toLowerCase();
    if (isMeant && match !== undefined && matchesGlob([match.toLowerCase()], [text])) return { isCertain: true };
    return match === undefined ? undefined : inServerCall(rule, match, { call, text: subject.text });
  }
  const byCommand = isMeant && match !== undefined ? denyCommand(match, call, subject) : undefined;
  if (byCommand?.isCertain === true || !isAboutChanges(rule)) return byCommand;
  const byChange = denyChanges(match, call, subject);
  return byChange?.isCertain === true ? byChange : (byCommand ?? byChange);
}

function inPath(match: string, call: PendingCall, { text, aliases = [] }: Subject): Denial | undefined {
  const { cwd } = call;
  const names = [text, ...aliases];
  const all = cwd === undefined ? names : names.flatMap((name) => namesOfPath(cwd, name));
  const relation = new PathPattern(match, cwd).match(
    all,
    cwd === undefined ? undefined : all.find((one) => one.startsWith("/")),
  );
  if (relation === "same" || relation === "below") return { isCertain: true, reason: `it changes ${text}` };
  const isDeep = MORE_THAN_EDITORS.has(call.tool.toLowerCase());
  return relation === "above" && isDeep ? { isCertain: true, reason: `it changes ${text}` } : undefined;
}

interface ServerCall {
  readonly call: PendingCall;
  readonly text: string;
}

/** A tool of another kind that is given a file's name, or a command. */
function inServerCall(rule: Rule, match: string, { call, text }: ServerCall): Denial | undefined {
  const fields = parseFields(text) ?? {};
  if (isAboutCommands(rule)) {
    const run = commandsIn(fields).find(
      (one) => denyCommand(match, call, { kind: "command", text: one })?.isCertain === true,
    );
    return run === undefined ? undefined : { isCertain: false, reason: `it may run ${shown(run)}` };
  }
  if (!isAboutChanges(rule)) return undefined;
  const isReading = isReadingTool(call.tool);
  const pattern = new PathPattern(match, call.cwd);
  const named = [...namesGiven(fields, isReading)].find((one) => isMeantBy(pattern, pathOf(one), call.cwd));
  return named === undefined ? undefined : { isCertain: false, reason: `it may change ${shown(named)}` };
}

/** Tool servers name files by addresses too. */
function pathOf(name: string): string {
  try {
    return /^file:/i.test(name) ? fileURLToPath(name) : withHome(name);
  } catch {
    // No address of a file here.
    return name;
  }
}

function isMeantBy(pattern: PathPattern, name: string, cwd: string | undefined): boolean {
  // Where that leads depends on the process that looks.
  if (/^\/(?:proc|dev\/fd)\//.test(name)) return pattern.isNamed(name);
  const relation = pattern.match(cwd === undefined ? [name] : namesOfPath(cwd, name));
  const isGlob = /[*?[]/.test(name) && !/\s|:\/\//.test(name);
  return relation === "same" || relation === "below" || (isGlob && pattern.mayBeAmong(name));
}

/** Exact name, for allow rules. */
function isAbout({ tool }: Rule, call: PendingCall, subject: Subject): boolean {
  return namesOf(call, subject).some((name) => matchesGlob([tool], [name]));
}

/** Case-insensitive, for deny rules. */
function isAboutAny({ tool }: Rule, call: PendingCall, subject: Subject): boolean {
  return namesOf(call, subject).some((name) => matchesGlob([tool.toLowerCase()], [name.toLowerCase()]));
}
