/** `config show | schema | path`. */
import { existsSync } from "node:fs";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { CommonFlags } from "../../flags.ts";
import type { Setting } from "../../config/environment.ts";
import { loadConfig } from "../../config/load-config.ts";
import { withoutSecrets, withoutValues } from "../../config/mcp-servers.ts";
import { projectConfigFile, projectServersFile, userConfigFile, workingDirectory } from "../../config/paths.ts";
import { readServersFile } from "../../config/project-files.ts";
import { readText } from "../../config/read-config-file.ts";
import { configJsonSchema } from "../../config/schema.ts";
import { isTrusted } from "../../config/trust.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { noteLine } from "../../../kit/failure.ts";
import { chosenMembers } from "../../members/resolver.ts";
import { settingsFromFlags, type SettingFlags } from "../../sessions/defaults.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, addConfigOption } from "../options.ts";

type ShowFlags = CommonFlags & SettingFlags & { origin?: boolean };

export const declareShow: DeclareCommand = (command, run) => {
  command.option("--origin", "show where each key was set");
  addConfigOption(command);
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable config show --origin",
      "ROUNDTABLE_TIMEOUT=60 roundtable config show --origin",
      "roundtable config show --origin --config council.limits.usd=2",
    ]),
  );
  command.action(async (flags: ShowFlags) => run(flags, showConfig));
};

export const declareSchema: DeclareCommand = (command, run) => {
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable config schema > roundtable.schema.json"]));
  command.action(async () => run({}, showConfigSchema));
};

export const declarePath: DeclareCommand = (command, run) => {
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable config path"]));
  command.action(async (flags: CommonFlags) => run(flags, showConfigPath));
};

/** Prints a configuration file, or with --origin one key per line. */
async function showConfig(flags: ShowFlags): Promise<ExitCode> {
  const cwd = workingDirectory(flags.directory);
  const loaded = loadConfig({ cwd, env: process.env, ...settingsFromFlags(flags) });
  const { config, settings, warnings } = loaded;
  for (const warning of warnings) note(noteLine(warning));
  const { findAgents } = await import("../../../agents/index.ts");
  const chosen = settings.find((setting) => setting.path === "council.members");
  const members = (await chosenMembers(loaded, () => findAgents({ env: process.env, cwd }))).map((spec) => spec.name);
  const origin =
    Object.keys(config.agents).length > 0 ? "default: every configured agent" : "default: the embedded members";
  const all: Setting[] =
    chosen === undefined ? [{ path: "council.members", value: members, origin }, ...settings] : [...settings];
  // Derived from the origin of another key; not a key itself.
  const { rounds_need_model: _, ...council } = config.council;
  if (flags.origin === true) stdout.write(originLines(all));
  else stdout.write(`${JSON.stringify({ ...withoutSecrets(config), council: { members, ...council } }, null, 2)}\n`);
  return exitCodes.ok;
}

function showConfigSchema(): ExitCode {
  stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  return exitCodes.ok;
}

/** In reading order. */
function showConfigPath(flags: CommonFlags): ExitCode {
  const user = userConfigFile(process.env);
  stdout.write(`${terminalSafeLine(user)}${existsSync(user) ? "" : " (not found)"}\n`);
  const cwd = workingDirectory(flags.directory);
  const servers = projectServersFile(cwd);
  if (servers !== undefined) {
    const read = readServersFile(servers);
    const state = "problem" in read ? "cannot be used, ignored" : trustLabel(servers, read.text);
    stdout.write(`${terminalSafeLine(servers)} (${state})\n`);
  }
  const project = projectConfigFile(cwd);
  if (project !== undefined) stdout.write(`${terminalSafeLine(project)} (${projectState(project)})\n`);
  return exitCodes.ok;
}

function projectState(file: string): string {
  try {
    return trustLabel(file, readText(file));
  } catch {
    // Every command that reads it reports the reason.
    return "cannot be used, ignored";
  }
}

function trustLabel(file: string, text: string): string {
  return isTrusted(file, text, process.env) ? "trusted" : "not trusted, ignored";
}

function originLines(settings: readonly Setting[]): string {
  const width = Math.max(...settings.map((setting) => setting.path.length));
  return settings
    .toSorted((a, b) => order(a.path) - order(b.path))
    .map(
      ({ path, value, origin }) =>
        `${path.padEnd(width)}  ${safeJson(withoutValues(value))}  # ${terminalSafeLine(origin)}\n`,
    )
    .join("");
}

/** Groups keys in the order of the documentation. */
function order(path: string): number {
  const groups = ["council.", "council.limits", "requests", "prompts", "agents"];
  return groups.findLastIndex((group) => path.startsWith(group));
}

function safeJson(value: unknown): string {
  return terminalSafeLine(JSON.stringify(value));
}
