/**
 * Effective configuration: defaults, user file, trusted project files, environment, flags; later layers win, key by
 * key. Every value keeps its origin. An agent is one value, so that two files never mix into an agent that nobody
 * wrote.
 */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { whyNotPrivate } from "../../kit/files/private-directory.ts";
import { editDistance } from "../../kit/text/nearest-name.ts";
import { APPROVAL_RULE, Verdict, USD_LIMIT, type Settings } from "../../protocol/index.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { putOverrides } from "./command-line-keys.ts";
import { checkSetting, settingsFromEnvironment, type Setting } from "./environment.ts";
import { flatten, partsOf, put, unflatten, isGroup } from "./flat-settings.ts";
import { userConfigFile, type Environment } from "./paths.ts";
import { readProjectSettings } from "./project-files.ts";
import { readConfigFile } from "./read-config-file.ts";
import type { AgentConfig, SandboxConfig, ToolServerConfig, ConfigFile } from "./schema.ts";
import { sandboxSettings, type SandboxSettings } from "./sandbox-keys.ts";

export interface Config {
  council: Pick<Settings, "timeout" | "auto_rounds" | "rounds_need_model" | "mode" | "preamble" | "limits"> & {
    members?: string[];
    writable?: boolean;
  };
  requests: { timeout: number };
  threads?: { mirror?: boolean };
  prompts: { council?: string };
  agents: Record<string, AgentConfig>;
  mcpServers?: Record<string, ToolServerConfig>;
  /** Rules as text. */
  approvals?: { deny?: string[]; ask?: string[]; allow?: string[] };
  sandbox?: SandboxConfig;
}

export interface WrittenRule {
  verdict: Verdict;
  text: string;
  origin: string;
}

export interface LoadedConfig {
  config: Config;
  /** The directory it was loaded for. */
  cwd: string;
  /**
   * Every key in effect, sorted as in the documentation, with its origin ("default", file:line:column, variable or
   * flag).
   */
  settings: readonly Setting[];
  /** Approval rules in order of precedence, each with the origin of its list. */
  rules: readonly WrittenRule[];
  /** The settings that came from `overrides`. */
  overridden: readonly Setting[];
  /** Warnings for the user, one sentence each. */
  warnings: readonly string[];
}

export interface ConfigSource {
  cwd: string;
  env: Environment;
  /** Any key from the command line, with `--config KEY` or a shorthand as `origin`. */
  overrides?: readonly Setting[];
  /** From flags of their own, as `path`, `value` and the flag's name as `origin`. */
  flags?: readonly Setting[];
}

export function loadConfig({ cwd, env, overrides = [], flags = [] }: ConfigSource): LoadedConfig {
  const warnings: string[] = [];
  const effective = new Map<string, Setting>();
  const lay = (settings: readonly Setting[]) => {
    for (const setting of settings) put(effective, setting);
  };
  lay(flatten(defaultConfig, () => "default"));
  lay(readLayer(userConfigFile(env)));
  lay(withoutWidening(readProjectSettings(cwd, env, warnings), effective, warnings));
  lay(settingsFromEnvironment(env));
  const overridden = putOverrides(effective, overrides);
  for (const flag of flags) put(effective, checkSetting(flag));
  const settings = [...effective.values()];
  const config = asConfig(settings);
  if (effective.get("council.auto_rounds")?.origin === "default") config.council.rounds_need_model = true;
  const rules = rulesIn(effective);
  warnings.push(...rules.flatMap((rule) => misspeltTool(rule) ?? readRule(rule) ?? []));
  return { config, cwd, settings, rules, overridden, warnings };
}

function readLayer(file: string): Setting[] {
  // A link to a missing file is an error of its own: its deny rules would silently be lost.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return [];
  requirePrivate(file);
  const read = readConfigFile(file);
  return flatten(read.value, (path) => `${file}:${read.locationOf(path)}`);
}

/** The file names programs to start, so only the user may be able to write it. */
function requirePrivate(file: string): void {
  for (const path of [dirname(file), file]) {
    const violation = whyNotPrivate(path, { mayBeRoots: true });
    if (violation === undefined) continue;
    const what = path === file ? "the configuration" : "the configuration directory";
    throw new Failure(exitCodes.permissionDenied, "config", `${what} ${path} ${violation.problem}`, {
      hint: violation.fix,
    });
  }
}

/** The effective lists, with the origin of each rule. */
function rulesIn(effective: ReadonlyMap<string, Setting>): WrittenRule[] {
  return Verdict.options.flatMap((verdict) => {
    const setting = effective.get(`approvals.${verdict}`);
    return (setting === undefined ? [] : partsOf(setting)).flatMap(({ value, origin }) =>
      (value as string[]).map((text) => ({ verdict, text, origin })),
    );
  });
}

/** Tools that rules name for every agent; any other name is that of one agent's tool. */
const COMMON_TOOLS = ["shell", "edit", "read", "write"];

/** A rule for an unknown tool protects nothing, and nobody would notice. */
function misspeltTool({ text, verdict, origin }: WrittenRule): string | undefined {
  const [, tool = ""] = APPROVAL_RULE.exec(text) ?? [];
  const meant = COMMON_TOOLS.find((name) => editDistance(tool.toLowerCase(), name) === 1);
  return (
    meant && `approvals.${verdict} (${origin}): "${text}" matches only a tool named ${tool}. Did you mean ${meant}?`
  );
}

/** Agent programs read files without asking, so that nobody judges it. */
function readRule({ text, verdict, origin }: WrittenRule): string | undefined {
  const [, tool = ""] = APPROVAL_RULE.exec(text) ?? [];
  if (verdict === "allow" || tool.toLowerCase() !== "read") return undefined;
  return `approvals.${verdict} (${origin}): "${text}" applies to built-in models only. Agent programs read files without asking.`;
}

/** Safe because every layer passed the schema and the defaults name every required key. */
function asConfig(settings: readonly Setting[]): Config {
  return { council: {}, requests: {}, prompts: {}, agents: {}, ...unflatten(settings) } as unknown as Config;
}

/** Default configuration. */
export const PREAMBLE = "Answer briefly and give your own view. Support claims with evidence, such as a file and line.";

export const defaultConfig = {
  council: {
    timeout: 600,
    auto_rounds: 3,
    mode: "broadcast",
    preamble: PREAMBLE,
    limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: USD_LIMIT },
  },
  requests: { timeout: 300 },
} as const satisfies ConfigFile;

/** A project file can only make the sandbox stricter, since anyone with write access to the project could edit it. */
type Mode = NonNullable<SandboxSettings["mode"]>;

/** Weakest first. */
const MODES: readonly Mode[] = ["off", "auto", "require"];
const DEFAULT_MODE: Mode = "auto";

/** The project's settings that are stricter than the user's. */
function withoutWidening(
  settings: readonly Setting[],
  before: ReadonlyMap<string, Setting>,
  warnings: string[],
): Setting[] {
  const { mode: own = DEFAULT_MODE } = sandboxSettings(before.get("sandbox")?.value as SandboxConfig | undefined);
  return settings.flatMap((setting) => {
    if (setting.path === "sandbox") {
      const { mode, isWhole } = stricter(setting.value as SandboxConfig, [own]);
      if (!isWhole) warnings.push(notUsed(setting.origin, "sandbox"));
      return mode === undefined || mode === own ? [] : [{ ...setting, value: mode }];
    }
    return [/^agents\.[^.]+$/.test(setting.path) ? strictAgent(setting, { own, before, warnings }) : setting];
  });
}

interface Before {
  readonly own: Mode;
  readonly before: ReadonlyMap<string, Setting>;
  readonly warnings: string[];
}

/** A project's agent replaces the user's agent of that name but keeps the user's stricter sandbox. */
function strictAgent(setting: Setting, { own, before, warnings }: Before): Setting {
  if (!isGroup(setting.value)) return setting;
  const { sandbox, unguarded, ...agent } = setting.value;
  const replaced = before.get(setting.path)?.value;
  const users = sandboxSettings((isGroup(replaced) ? replaced["sandbox"] : undefined) as SandboxConfig | undefined);
  const { mode, isWhole } = stricter(sandbox as SandboxConfig | undefined, [own, users.mode]);
  if (!isWhole) warnings.push(notUsed(setting.origin, `${setting.path}.sandbox`));
  if (unguarded === "allow") warnings.push(notUsed(setting.origin, `${setting.path}.unguarded`));
  const effective = mode ?? strictest([own, users.mode]);
  const isOwn = effective === own;
  return { ...setting, value: { ...agent, ...(isOwn ? {} : { sandbox: effective }) } };
}

/** `isWhole`: nothing had to be dropped. */
function stricter(
  written: SandboxConfig | undefined,
  floors: readonly (Mode | undefined)[],
): { mode?: Mode; isWhole: boolean } {
  const { mode, ...opened } = sandboxSettings(written);
  const opensNothing = Object.keys(opened).length === 0;
  if (mode === undefined) return { isWhole: opensNothing };
  const floor = strictest(floors);
  const isWider = MODES.indexOf(mode) < MODES.indexOf(floor);
  return { mode: isWider ? floor : mode, isWhole: opensNothing && !isWider };
}

function strictest(modes: readonly (Mode | undefined)[]): Mode {
  const strength = Math.max(...modes.map((mode) => (mode === undefined ? -1 : MODES.indexOf(mode))));
  return MODES[strength] ?? DEFAULT_MODE;
}

function notUsed(origin: string, key: string): string {
  return `${origin}: "${key}" in a project file only applies where it is stricter than yours. Set it in your own configuration.`;
}
