/** Directory, members and settings of a new session, from configuration and flags. */
import type { SessionDefaults } from "../../server/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { AskFlags, CommonFlags } from "../flags.ts";
import { overrideOf } from "../config/command-line-keys.ts";
import { loadConfig, type ConfigSource } from "../config/load-config.ts";
import { dataDirectory, workingDirectory } from "../config/paths.ts";
import { noteLine } from "../../kit/failure.ts";
import { sessionSettings } from "../members/members.ts";
import { availableMembers, createMemberResolver } from "../members/resolver.ts";
import { note } from "../terminal/stdout.ts";

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

/**
 * `notify` receives lines for a person. A screen shows them itself, since it would draw over stderr. It introduces
 * its members at the first start itself, too.
 */
export async function sessionDefaults(
  flags: CommonFlags & SettingFlags,
  notify = note,
  { isScreen = false }: { readonly isScreen?: boolean } = {},
): Promise<SessionDefaults> {
  const cwd = workingDirectory(flags.directory);
  const loaded = loadConfig({ cwd, env: process.env, ...settingsFromFlags(flags) });
  for (const warning of loaded.warnings) notify(noteLine(warning));
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const resolver = createMemberResolver({ loaded, env: process.env, dataDir, notify: isScreen ? undefined : notify });
  const members = await resolver.members();
  await resolver.introduceWhenSearched();
  return { cwd, settings: sessionSettings(loaded.config, members), members };
}

/** Requested on every keystroke of a completion, and detection is slow. */
const CACHE_MS = 10_000;

/** Members that can be added to a running session by name; cached. */
export function createAvailableMembers(flags: CommonFlags): () => Promise<readonly MemberSpec[]> {
  let known: { readonly at: number; readonly members: Promise<readonly MemberSpec[]> } | undefined;
  return () => {
    if (known === undefined || performance.now() - known.at > CACHE_MS) {
      known = { at: performance.now(), members: findAvailable(flags) };
    }
    return known.members;
  };
}

async function findAvailable(flags: CommonFlags): Promise<readonly MemberSpec[]> {
  const { overrides } = settingsFromFlags(flags);
  const loaded = loadConfig({ cwd: workingDirectory(flags.directory), env: process.env, overrides });
  const { findAgents } = await import("../../agents/index.ts");
  return await availableMembers(loaded, () => findAgents({ env: process.env, cwd: loaded.cwd }));
}
