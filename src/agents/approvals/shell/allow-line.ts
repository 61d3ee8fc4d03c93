/**
 * Whether patterns allow a shell line: only when every command in it matches one, nothing is opaque, and it writes no
 * other files than allowed.
 */
import { matchesGlob } from "../../tools/glob-match.ts";
import type { Arg } from "./arg.ts";
import { shown } from "./finding.ts";
import type { Layer, Layers, ReadLine } from "./read-line.ts";
import { plainGit } from "./risky-git.ts";
import { findRisk } from "./risky-options.ts";
import { type RulePattern } from "./rule-pattern.ts";
import { SYSTEM_BIN } from "./wrappers.ts";

export type Allowing<Rule> = { readonly rule: Rule; readonly pattern: RulePattern };

/** The rule that allows the first command, or why the line is not allowed. */
export type Allowed<Rule> = { readonly rule: Rule } | { readonly reason: string; readonly isNear: boolean };

export function allowLine<Rule>(
  { commands, writes, findings }: ReadLine,
  rules: readonly Allowing<Rule>[],
  mayWrite: (file: Arg) => boolean,
): Allowed<Rule> {
  // A pattern without a program matches a single plain command only.
  const meant = commands.length === 1 ? rules : rules.filter(({ pattern }) => namesProgram(pattern));
  const judged = commands.map((layers) => allowLayers(layers, meant));
  const isNear = judged.some((one) => "rule" in one || one.isNear);
  const [finding] = findings;
  if (finding !== undefined) return { reason: finding.reason, isNear };
  const refused = judged.find((one) => "reason" in one);
  if (refused !== undefined) return { ...refused, isNear };
  const write = writes.find((file) => !mayWrite(file));
  if (write !== undefined) return { reason: writeReason(write), isNear };
  if (movesToOtherGit(commands)) return { reason: "git runs in another directory", isNear };
  const [first] = judged;
  if (first !== undefined && "rule" in first) return first;
  return { reason: "it runs no command that a rule covers", isNear: false };
}

function namesProgram({ globs: [program] }: RulePattern): boolean {
  return program !== undefined && /[^*?]/.test(program);
}

export function writeReason({ text, source }: Arg): string {
  return text === undefined
    ? "it writes a file that is only known at run time"
    : `it writes ${shown(text === "" ? source : text)}`;
}

/** The configuration of another checkout can name programs. */
function movesToOtherGit(commands: readonly Layers[]): boolean {
  const names = commands.map((layers) => layers.at(-1)?.name);
  const at = names.findIndex((name) => name === "cd" || name === "pushd" || name === "popd");
  return at !== -1 && names.some((name) => name === "git");
}

function allowLayers<Rule>(layers: Layers, rules: readonly Allowing<Rule>[]): Allowed<Rule> {
  let matchedRule: Rule | undefined;
  for (let at = 0; at < layers.length; at++) {
    const layer = layers[at];
    if (layer === undefined) break;
    const allowed = allowLayer(layer, rules);
    const { covered, start } = namedLayers(layers, at, "rule" in allowed ? allowed.named : 0);
    // A transparent wrapper needs no rule, but a rule may name it with its inner command.
    if (layer.isTransparent && covered === 0) continue;
    if (!("rule" in allowed)) return allowed;
    matchedRule ??= allowed.rule;
    at += covered;
    const risk = covered === 0 ? undefined : riskOf(layers[at], allowed.named - start);
    if (risk !== undefined) return { reason: risk, isNear: true };
  }
  return matchedRule === undefined
    ? { reason: "it runs no command that a rule covers", isNear: false }
    : { rule: matchedRule };
}

/** Number of inner layers whose program the rule names, and where the last one starts. */
function namedLayers(layers: Layers, at: number, named: number): { covered: number; start: number } {
  let start = 0;
  let covered = 0;
  for (const { inner = Infinity } of layers.slice(at, -1)) {
    if (named <= start + inner) break;
    start += inner;
    covered++;
  }
  return { covered, start };
}

/** `named`: number of words the rule names. */
function riskOf(layer: Layer | undefined, named: number): string | undefined {
  if (layer === undefined || layer.inner !== undefined) return undefined;
  const from = Math.max(1, named);
  return findRisk(layer.name, layer.args.slice(from), layer.args.slice(0, from));
}

function allowLayer<Rule>(
  given: Layer,
  rules: readonly Allowing<Rule>[],
): { readonly rule: Rule; readonly named: number } | { readonly reason: string; readonly isNear: boolean } {
  const layer = given.name === "git" ? { ...given, args: plainGit(given.args) } : given;
  let reason: string | undefined;
  for (const { rule, pattern } of rules) {
    if (!matches(pattern, layer.args)) continue;
    const named = pattern.globs.length;
    // Wrappers are checked by their inner command; the rule's own words are taken literally.
    const rest = layer.args.slice(Math.max(named, 1), layer.inner ?? layer.args.length);
    const own = named > 1 && layer.name === "git" ? layer.args.slice(1) : rest;
    const covered = layer.args.slice(0, Math.max(named, 1));
    const risk = layer.inner === undefined ? findRisk(layer.name, exempt(own, layer.args, named), covered) : undefined;
    if (risk === undefined) return { rule, named };
    reason ??= risk;
  }
  const what = layer.args[0]?.text;
  return reason === undefined
    ? {
        reason: what === undefined ? "a program is only known at run time" : `no rule allows ${shown(what)}`,
        isNear: false,
      }
    : { reason, isNear: true };
}

/** For git the subcommand decides what an option means; options that the rule names are skipped. */
function exempt(own: readonly Arg[], all: readonly Arg[], named: number): readonly Arg[] {
  return own.filter((arg) => all.indexOf(arg) >= named || !arg.start.startsWith("-"));
}

function matches({ globs, isOpen }: RulePattern, args: readonly Arg[]): boolean {
  if (isOpen ? args.length < globs.length : args.length !== globs.length) return false;
  return globs.every((glob, at) => {
    const arg = args[at];
    if (arg === undefined || arg.text === undefined) return false;
    if (at > 0) return matchesGlob([glob], [arg.text]) && !leavesFolder(glob, arg.text);
    const base = arg.text.replace(SYSTEM_BIN, "");
    return matchesGlob([glob], [arg.text]) || (!base.includes("/") && matchesGlob([glob], [base]));
  });
}

/** `rm build/*` is about what is in that folder, not about `build/../src`. */
function leavesFolder(glob: string, text: string): boolean {
  const isUp = (part: string) => part === "..";
  return glob.includes("/") && text.split("/").filter(isUp).length > glob.split("/").filter(isUp).length;
}
