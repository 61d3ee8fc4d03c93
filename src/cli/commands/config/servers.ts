/** `config servers`: configured tool servers, their transport, and whether they answer. */
import type { TriedServer } from "../../../agents/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { settingsFromFlags } from "../../sessions/defaults.ts";
import { alignColumns } from "../../terminal/format.ts";
import { loadConfig } from "../../config/load-config.ts";
import { mcpServersFor } from "../../config/mcp-servers.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { noteLine } from "../../../kit/failure.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { workingDirectory } from "../../config/paths.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, addConfigOption } from "../options.ts";

export const declareServers: DeclareCommand = (command, run) => {
  addConfigOption(command);
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable config servers"]));
  command.action(async (flags: CommonFlags) => run(flags, showServers));
};

/** Starts each server just long enough to list its tools. Exits with an error when one of them fails. */
async function showServers(flags: CommonFlags): Promise<ExitCode> {
  const cwd = workingDirectory(flags.directory);
  const flagSettings = settingsFromFlags(flags);
  const { config, warnings } = loadConfig({ cwd, env: process.env, ...flagSettings });
  for (const warning of warnings) note(noteLine(warning));
  const { tryServers } = await import("../../../agents/index.ts");
  const tried = await tryServers(mcpServersFor(cwd, process.env, flagSettings.overrides), { cwd, env: process.env });
  const disabled = Object.entries(config.mcpServers ?? {}).flatMap(([name, server]) =>
    server.disabled === true ? [name] : [],
  );
  stdout.write(serverLines(tried, disabled));
  return tried.every(({ outcome }) => outcome.ok) ? exitCodes.ok : exitCodes.failure;
}

export function serverLines(tried: readonly TriedServer[], disabled: readonly string[]): string {
  if (tried.length + disabled.length === 0) return 'no tool servers are configured ("mcpServers")\n';
  return alignColumns([
    ...tried.map(({ name, reachedBy, outcome }) => [name, reachedBy, formatOutcome(outcome)]),
    ...disabled.map((name) => [name, "", "disabled"]),
  ]);
}

function formatOutcome(outcome: TriedServer["outcome"]): string {
  if (!outcome.ok) return `fails: ${outcome.why}`;
  return outcome.tools === 1 ? "1 tool" : `${outcome.tools} tools`;
}
