/** What a new session of a screen gets: the directory, and the members and settings that are configured for it. */
import type { SessionDefaults } from "../server/index.ts";
import type { AskFlags, CommonFlags } from "./args.ts";
import type { Setting } from "./config/environment.ts";
import { loadConfig } from "./config/load-config.ts";
import { dataDirectory } from "./config/paths.ts";
import { noteLine } from "./failure.ts";
import { sessionSettings } from "./members.ts";
import { startSeating } from "./seating.ts";
import { note } from "./stdout.ts";
import { workingDirectory } from "./working-directory.ts";

type SettingFlags = Pick<AskFlags, "members" | "timeout" | "writable">;

/** The options that stand for a key of the configuration. */
export function settingsFromFlags({ members, timeout, writable }: SettingFlags): Setting[] {
  return [
    ...(writable === undefined ? [] : [{ path: "council.writable", value: writable, origin: "--writable" }]),
    ...(members === undefined ? [] : [{ path: "council.members", value: members, origin: "--members" }]),
    ...(timeout === undefined ? [] : [{ path: "council.timeout", value: timeout, origin: "--timeout" }]),
  ];
}

/** `tell` takes lines for a person. A screen shows them itself, since a line on stderr would be drawn over. */
export async function sessionDefaults(flags: CommonFlags & SettingFlags, tell = note): Promise<SessionDefaults> {
  const cwd = workingDirectory(flags.directory);
  const loaded = loadConfig({ cwd, env: process.env, flags: settingsFromFlags(flags) });
  for (const warning of loaded.warnings) tell(noteLine(warning));
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const seating = startSeating({ loaded, env: process.env, dataDir, tell });
  const members = await seating.members();
  await seating.introduceAtLast();
  return { cwd, settings: sessionSettings(loaded.config, members), members };
}
