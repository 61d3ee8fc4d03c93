/**
 * The rules about calls that hold in a directory, read from the configuration there.
 * Promises: a rule that was added holds within seconds, also in sessions that are open; a configuration that cannot be
 * read never allows anything: what was read last holds on, and before that everything is asked about.
 */
import type { Rule, Verdict } from "../../agents/index.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { Setting } from "./environment.ts";
import { loadConfig, type WrittenRule } from "./load-config.ts";
import type { Environment } from "./paths.ts";

export interface RuleReaderOptions {
  readonly env: Environment;
  /** Said on the command line; what is about approvals counts. */
  readonly overrides?: readonly Setting[];
  readonly parseRule: (text: string, verdict: Verdict) => Rule | null;
  readonly warn: (sentence: string) => void;
  readonly clock?: Pick<Clock, "monotonic">;
}

/** Members may ask thousands of times a second, one for each file they look at. */
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
      const then =
        before === undefined ? "members are asked about everything they do" : "the rules read before hold on";
      if (before?.problem !== problem) warn(`the rules about approvals could not be read, so ${then}: ${problem}`);
      known.set(cwd, { rules, readMs: nowMs, problem });
      return rules;
    }
  };
}

function rulesOf(written: readonly WrittenRule[], { parseRule }: RuleReaderOptions): Rule[] {
  return written.flatMap(({ text, verdict, origin }) => {
    const rule = parseRule(text, verdict);
    // The schema has let them through, so each is one.
    return rule === null ? [] : [{ ...rule, from: origin }];
  });
}
