/**
 * Effective configuration: defaults, user file, trusted project files, environment, flags; later layers win, key by key.
 * Every value keeps its origin. An agent is one value, so that two files never mix into an agent that nobody wrote.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { whyNotPrivate } from "../../kit/files/private-directory.ts";
import { Verdict, type Settings } from "../../protocol/index.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { putOverrides } from "./command-line-keys.ts";
import { defaultConfig } from "./defaults.ts";
import { checkSetting, settingsFromEnvironment, type Setting } from "./environment.ts";
import { flatten, partsOf, put, unflatten } from "./flat-settings.ts";
import { userConfigFile, type Environment } from "./paths.ts";
import { readProjectSettings } from "./project-files.ts";
import { readConfigFile } from "./read-config-file.ts";
import { withoutWidening } from "./project-sandbox.ts";
import type { AgentConfig, SandboxConfig, ToolServerConfig } from "./schema.ts";

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
  /** Every key in effect, sorted as in the documentation, with its origin ("default", file:line:column, variable or flag). */
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
  return { config, cwd, settings, rules: rulesIn(effective), overridden, warnings };
}

function readLayer(file: string): Setting[] {
  if (!existsSync(file)) return [];
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

/** Safe because every layer passed the schema and the defaults name every required key. */
function asConfig(settings: readonly Setting[]): Config {
  return { council: {}, requests: {}, prompts: {}, agents: {}, ...unflatten(settings) } as unknown as Config;
}
