/**
 * Configuration as it is in effect: defaults, the user's file, the trusted project file, the environment, flags;
 * the later wins, key by key. Every value remembers where it came from. An agent counts as one value, so that two
 * files never mix into an agent that nobody wrote.
 */
import { existsSync } from "node:fs";
import { Verdict, type Settings } from "../../protocol/index.ts";
import { defaultConfig } from "./defaults.ts";
import { checkSetting, settingsFromEnvironment, type Setting } from "./environment.ts";
import { projectConfigFile, userConfigFile, type Environment } from "./paths.ts";
import { parseConfig, readText } from "./read-config-file.ts";
import type { AgentConfig, ConfigFile, ToolServerConfig } from "./schema.ts";
import { isTrusted } from "./trust.ts";

export interface Config {
  council: Pick<Settings, "timeout" | "auto_rounds" | "mode" | "preamble" | "limits"> & {
    members?: string[];
    writable?: boolean;
  };
  requests: { timeout: number };
  threads?: { mirror?: boolean };
  prompts: { council?: string };
  agents: Record<string, AgentConfig>;
  mcpServers?: Record<string, ToolServerConfig>;
  /** Rules as they were written. */
  approvals?: { deny?: string[]; ask?: string[]; allow?: string[] };
}

export interface WrittenRule {
  verdict: Verdict;
  text: string;
  origin: string;
}

export interface LoadedConfig {
  config: Config;
  /** Every key in effect, sorted as in the documentation, with its origin ("default", file:line:column, variable or flag). */
  settings: readonly Setting[];
  /** The rules about calls, in the order in which they count, each with the place of its list. */
  rules: readonly WrittenRule[];
  /** What the user should know; one sentence each. */
  warnings: readonly string[];
}

export interface ConfigSource {
  cwd: string;
  env: Environment;
  /** From flags, as `path`, `value` and the flag's name as `origin`. */
  flags?: readonly Setting[];
}

export function loadConfig({ cwd, env, flags = [] }: ConfigSource): LoadedConfig {
  const warnings: string[] = [];
  const layers = [
    flatten(defaultConfig, () => "default"),
    readLayer(userConfigFile(env)),
    readProjectLayer(cwd, env, warnings),
    settingsFromEnvironment(env),
    flags.map(checkSetting),
  ];
  const effective = new Map<string, Setting>();
  for (const setting of layers.flat()) effective.set(setting.path, joined(effective.get(setting.path), setting));
  const settings = [...effective.values()];
  return { config: unflatten(settings), settings, rules: rulesIn(layers.flat()), warnings };
}

function readLayer(file: string): Setting[] {
  if (!existsSync(file)) return [];
  return parseLayer(readText(file), file);
}

function parseLayer(text: string, file: string): Setting[] {
  const read = parseConfig(text, file);
  return flatten(read.value, (path) => `${file}:${read.placeOf(path)}`);
}

/** The text that is checked against the trust record is the text that is used: nothing can change in between. */
function readProjectLayer(cwd: string, env: Environment, warnings: string[]): Setting[] {
  const file = projectConfigFile(cwd);
  if (file === undefined || file === userConfigFile(env)) return [];
  const text = readText(file);
  if (isTrusted(file, text, env)) return withoutAllowing(parseLayer(text, file), warnings);
  warnings.push(`the project's ${file} is not trusted and was ignored. Read it, then run: roundtable config trust`);
  return [];
}

/** Rules that hold back add up over the layers: no file takes away what another one refuses. */
const JOINED = new Set(["approvals.deny", "approvals.ask"]);

function joined(before: Setting | undefined, setting: Setting): Setting {
  if (before === undefined || !JOINED.has(setting.path)) return setting;
  const value = [...(before.value as string[]), ...(setting.value as string[])];
  return { path: setting.path, value, origin: `${before.origin}, ${setting.origin}` };
}

/** The same lists as in effect, with each rule's own origin. */
function rulesIn(settings: readonly Setting[]): WrittenRule[] {
  return Verdict.options.flatMap((verdict) => {
    const path = `approvals.${verdict}`;
    const lists = settings.filter((setting) => setting.path === path);
    return (JOINED.has(path) ? lists : lists.slice(-1)).flatMap(({ value, origin }) =>
      (value as string[]).map((text) => ({ verdict, text, origin })),
    );
  });
}

/** A project may hold its members back; it cannot give them leave, since whoever writes to it could. */
function withoutAllowing(settings: Setting[], warnings: string[]): Setting[] {
  const allowing = settings.filter(({ path }) => path === "approvals.allow" || path === "council.writable");
  for (const { path, origin } of allowing) {
    warnings.push(`${origin}: "${path}" of a project is not used. Put it into your own configuration.`);
  }
  return settings.filter((setting) => !allowing.includes(setting));
}

/** Groups that hold further keys; everything else is a value. */
const GROUPS = new Set([
  "council",
  "council.limits",
  "council.limits.session",
  "requests",
  "threads",
  "prompts",
  "agents",
  "approvals",
  "mcpServers",
]);

function flatten(value: ConfigFile, originOf: (path: readonly string[]) => string): Setting[] {
  const walk = (node: object, above: readonly string[]): Setting[] =>
    Object.entries(node).flatMap(([key, one]: [string, unknown]) => {
      const path = [...above, key];
      const name = path.join(".");
      if (name === "$schema" || one === undefined) return [];
      if (GROUPS.has(name)) return walk(one as object, path);
      return [{ path: name, value: one, origin: originOf(path) }];
    });
  return walk(value, []);
}

/** Safe because every layer passed the schema and the defaults name every required key. */
function unflatten(settings: readonly Setting[]): Config {
  const root: Record<string, unknown> = { council: {}, requests: {}, prompts: {}, agents: {} };
  for (const { path, value } of settings) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let node = root;
    for (const key of keys) node = (node[key] ??= {}) as Record<string, unknown>;
    node[last] = value;
  }
  return root as unknown as Config;
}
