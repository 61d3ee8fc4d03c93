/** What a new session of a screen gets: the directory, and the members and settings that are configured for it. */
import type { SessionDefaults } from "../server/index.ts";
import type { CommonFlags } from "./args.ts";
import { loadConfig } from "./config/load-config.ts";
import { noteLine } from "./failure.ts";
import { chooseMembers, sessionSettings } from "./members.ts";
import { note } from "./stdout.ts";
import { workingDirectory } from "./working-directory.ts";

export async function sessionDefaults(flags: CommonFlags): Promise<SessionDefaults> {
  const cwd = workingDirectory(flags.directory);
  const { config, settings, warnings } = loadConfig({ cwd, env: process.env });
  for (const warning of warnings) note(noteLine(warning));
  const origin = settings.find((setting) => setting.path === "council.members")?.origin ?? "the configuration";
  const { embeddedMembers } = await import("../agents/index.ts");
  const members = chooseMembers(config, embeddedMembers, origin);
  return { cwd, settings: sessionSettings(config, members), members };
}
