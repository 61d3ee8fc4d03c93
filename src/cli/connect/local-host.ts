/** Host in this process. Its agent processes are marked, so that orphans are ended after a crash. */
import { homedir } from "node:os";
import type { Host } from "../../host/index.ts";
import { alwaysAllowedFile, configDirectory, type Environment } from "../config/paths.ts";
import type { Setting } from "../config/environment.ts";
import { memberEnvironmentFor, isSandboxOff, memberSandboxFor } from "../config/member-process.ts";
import { mcpServersFor } from "../config/mcp-servers.ts";
import { embedded, exporters, mirror } from "../edges.ts";
import { noteLine } from "../../kit/failure.ts";
import { note } from "../terminal/stdout.ts";
import { readVersion } from "../version.ts";
import type { Rule, Verdict } from "../../agents/index.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { loadConfig, type WrittenRule } from "../config/load-config.ts";

export interface LocalHostOptions {
  /** Sessions are only read: a data directory that cannot be written is good enough. */
  readonly isReader?: boolean | undefined;
}

/** `overrides`: configuration keys from the command line, for this process. */
export async function createLocalHost(
  dataDir: string,
  overrides: readonly Setting[] = [],
  { isReader = false }: LocalHostOptions = {},
): Promise<Host> {
  const [{ createAlwaysAllowedFile: createAlwaysFile, createHost }, { createAgents, parseRule, whyNotWritable }] =
    await Promise.all([import("../../host/index.ts"), import("../../agents/index.ts")]);
  const warn = (sentence: string) => note(noteLine(sentence));
  const rulesFor = createRuleReader({ env: process.env, overrides, parseRule, warn });
  const { factory, endOrphans } = createAgents({
    dataDir,
    embedded,
    mcpServersFor: (cwd) => mcpServersFor(cwd, process.env, overrides),
    environmentFor: (cwd, member) => memberEnvironmentFor({ cwd, member }, process.env, overrides),
    sandboxFor: (cwd, member) => memberSandboxFor({ cwd, member }, process.env, overrides),
    rulesFor,
  });
  const always = createAlwaysFile({ file: alwaysAllowedFile(process.env), warn });
  const approvals = { rulesFor, always };
  const environment = { home: homedir(), env: process.env, own: [dataDir, configDirectory(process.env)] };
  return await createHost({
    dataDir,
    agentFactory: factory,
    approvals,
    endOrphans,
    warn,
    version: readVersion(),
    exporters,
    isReader,
    ...(mirror === undefined ? {} : { loadMirror: mirror.load }),
    whyNotWritable: (cwd) => (isSandboxOff(cwd, process.env, overrides) ? undefined : whyNotWritable(cwd, environment)),
  });
}

/**
 * Approval rules of a directory, read from its configuration and cached for two seconds.
 * A new rule takes effect within seconds, in open sessions too. An unreadable configuration never allows anything: the
 * last known rules stay in effect; without any, every call needs approval.
 */
interface RuleReaderOptions {
  readonly env: Environment;
  /** From the command line; only keys below `approvals` are used. */
  readonly overrides?: readonly Setting[];
  readonly parseRule: (text: string, verdict: Verdict) => Rule | undefined;
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
    return rule === undefined ? [] : [{ ...rule, from: origin }];
  });
}
