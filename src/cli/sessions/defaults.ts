/** Directory, members and settings of a new session, from configuration and flags. */
import type { SessionDefaults } from "../../server/index.ts";
import type { AskFlags, CommonFlags } from "../flags.ts";
import { overrideOf } from "../config/command-line-keys.ts";
import { loadConfig, type ConfigSource } from "../config/load-config.ts";
import { dataDirectory } from "../config/paths.ts";
import { noteLine } from "../../kit/failure.ts";
import { sessionSettings } from "../members/members.ts";
import { createMemberResolver } from "../members/resolver.ts";
import { note } from "../terminal/stdout.ts";
import { workingDirectory } from "../config/paths.ts";

export type SettingFlags = Pick<
  AskFlags,
  "members" | "timeout" | "writable" | "config" | "maxTurns" | "maxBudgetUsd" | "maxTime"
>;

type FlagSettings = Required<Pick<ConfigSource, "overrides" | "flags">>;

/** Options that are shorthands for configuration keys. */
export function settingsFromFlags(flags: SettingFlags): FlagSettings {
  const { members, timeout, writable, config = [], maxTurns, maxBudgetUsd, maxTime } = flags;
  const one = (path: string, value: unknown, origin: string) => (value === undefined ? [] : [{ path, value, origin }]);
  return {
    overrides: [
      ...config.map(overrideOf),
      ...one("council.limits.turns", maxTurns, "--max-turns"),
      ...one("council.limits.usd", maxBudgetUsd, "--max-budget-usd"),
      ...one("council.limits.minutes", maxTime, "--max-time"),
    ],
    flags: [
      ...one("council.writable", writable, "--writable"),
      ...one("council.members", members, "--members"),
      ...one("council.timeout", timeout, "--timeout"),
    ],
  };
}

/** `notify` receives lines for a person. A screen shows them itself, since it would draw over stderr. */
export async function sessionDefaults(flags: CommonFlags & SettingFlags, notify = note): Promise<SessionDefaults> {
  const cwd = workingDirectory(flags.directory);
  const loaded = loadConfig({ cwd, env: process.env, ...settingsFromFlags(flags) });
  for (const warning of loaded.warnings) notify(noteLine(warning));
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const resolver = createMemberResolver({ loaded, env: process.env, dataDir, notify });
  const members = await resolver.members();
  await resolver.introduceWhenSearched();
  return { cwd, settings: sessionSettings(loaded.config, members), members };
}
