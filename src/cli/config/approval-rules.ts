/**
 * Approval rules of a directory, read from its configuration and cached for two seconds.
 * A new rule takes effect within seconds, in open sessions too. An unreadable configuration never allows anything: the
 * last known rules stay in effect; without any, every call needs approval.
 */
import type { Rule, Verdict } from "../../agents/index.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { Setting } from "./environment.ts";
import { loadConfig, type WrittenRule } from "./load-config.ts";
import type { Environment } from "./paths.ts";

export interface RuleReaderOptions {
  readonly env: Environment;
  /** From the command line; only keys below `approvals` are used. */
  readonly overrides?: readonly Setting[];
  readonly parseRule: (text: string, verdict: Verdict) => Rule | null;
  readonly warn: (sentence: string) => void;
  readonly clock?: Pick<Clock, "monotonic">;
}

/** Members may ask thousands of times a second, once per file they read. */
const FRESH_MS = 2_000;
const DIRECTORIES_MAX = 256;
const ASK_ALL: readonly Rule[] = [{ tool: "*", verdict: "ask", from: "the configuration could not be read" }];

export function createRuleReader(options: RuleReaderOptions): (cwd: string) => readonly Rule[] {
  const { env, warn, clock = systemClock } = options;
  const overrides = (options.overrides ?? []).filter(({ path }) => path.split(".")[0] === "approvals");
  const known = new Map<string, { rules: readonly Rule[]; readMs: number; problem: string | undefined }>();
  return (cwd) => {
    const before = known.get(cwd);
    const nowMs = clock.monotonic();
    if (before !== undefined && nowMs - before.readMs < FRESH_MS) return before.rules;
    if (before === undefined && known.size >= DIRECTORIES_MAX) known.clear();
    try {
      const rules = rulesOf(loadConfig({ cwd, env, overrides }).rules, options);
      known.set(cwd, { rules, readMs: nowMs, problem: undefined });
      return rules;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const rules = before?.rules ?? ASK_ALL;
      const then = before === undefined ? "every call needs approval" : "the last known rules stay in effect";
      if (before?.problem !== problem) warn(`cannot read the approval rules, so ${then}: ${problem}`);
      known.set(cwd, { rules, readMs: nowMs, problem });
      return rules;
    }
  };
}

function rulesOf(written: readonly WrittenRule[], { parseRule }: RuleReaderOptions): Rule[] {
  return written.flatMap(({ text, verdict, origin }) => {
    const rule = parseRule(text, verdict);
    // Validated by the schema, so parsing cannot fail here.
    return rule === null ? [] : [{ ...rule, from: origin }];
  });
}
