/**
 * Which calls may run unasked: rules first, then what the user allowed for this session.
 * A refusal by rule wins over every other rule; among the others the last one that fits decides.
 */
import { matchesGlob } from "../../embedded/tools/glob-match.ts";
import { canonicalJson } from "./canonical-call.ts";
import type { Json } from "../../../protocol/index.ts";
import type { Subject, Tool } from "./tool.ts";

export type Verdict = "allow" | "ask" | "deny";

export interface PermissionRule {
  /** A tool's name, with `*` for any part of it. */
  readonly tool: string;
  /** What the path or the command must be like; absent for all of them. */
  readonly match?: string;
  readonly verdict: Verdict;
}

export interface Asked {
  readonly subject: Subject;
  readonly args: Json;
}

const REMEMBERED_MAX = 1_000;
/** By these one command becomes two, or another: a pattern that allows the one must not let through the other. */
const SHELL_SYNTAX = /[;&|<>`$()\\\n\r]/;

export class Permissions {
  readonly #rules: readonly PermissionRule[];
  readonly #remembered = new Set<string>();

  constructor(rules: readonly PermissionRule[] = []) {
    this.#rules = rules;
  }

  judge(tool: Tool, asked: Asked): Verdict {
    const fitting = this.#rules.filter((rule) => fits(rule, tool.name, asked.subject));
    if (fitting.some((rule) => rule.verdict === "deny")) return "deny";
    const ruled = fitting.findLast((rule) => rule.verdict !== "allow" || isSafeToAllow(rule, asked.subject))?.verdict;
    if (ruled === "allow") return "allow";
    if (this.#remembered.has(keyOf(tool, asked))) return "allow";
    return ruled ?? (tool.gate === "free" ? "allow" : "ask");
  }

  /** For as long as the member sits; false when no more is remembered. */
  remember(tool: Tool, asked: Asked): boolean {
    if (this.#remembered.size >= REMEMBERED_MAX) return false;
    this.#remembered.add(keyOf(tool, asked));
    return true;
  }
}

/** A path is remembered for any content, a command only as it stands, anything else only with the same arguments. */
function keyOf(tool: Tool, { subject, args }: Asked): string {
  const what = subject.kind === "none" ? canonicalJson(args) : subject.text;
  return JSON.stringify([tool.name, subject.kind, what]);
}

function fits(rule: PermissionRule, name: string, subject: Subject): boolean {
  if (!matchesGlob([rule.tool], [name])) return false;
  if (rule.match === undefined) return true;
  if (subject.kind === "none") return false;
  return subject.kind === "path"
    ? matchesGlob(rule.match.split("/"), subject.text.split("/"))
    : matchesGlob([rule.match], [subject.text]);
}

function isSafeToAllow(rule: PermissionRule, subject: Subject): boolean {
  if (subject.kind !== "command" || rule.match === undefined || rule.match === subject.text) return true;
  return !SHELL_SYNTAX.test(subject.text);
}
