/** `config trust`: trusts the current content of a project's files. */
import { basename, join } from "node:path";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { withoutCredentials } from "../../../kit/url-credentials.ts";
import type { CommonFlags } from "../../flags.ts";
import { formatLeftOutServers } from "../../config/mcp-json.ts";
import { howReached } from "../../config/mcp-servers.ts";
import { projectConfigFile, projectServersFile, SERVERS_FILE, workingDirectory } from "../../config/paths.ts";
import { readServersFile } from "../../config/project-files.ts";
import { configFailure, parseConfig, readText } from "../../config/read-config-file.ts";
import type { ConfigFile } from "../../config/schema.ts";
import { trust } from "../../config/trust.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { noteLine, usageFailure } from "../../../kit/failure.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions } from "../options.ts";

export const declareTrust: DeclareCommand = (command, run) => {
  command.argument("[dir]", "project directory");
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable config trust", "roundtable config trust ~/src/project"]));
  command.action(async (dir: string | undefined, flags: CommonFlags) => run(flags, (all) => trustProject(dir, all)));
};

/** Prints what the trusted files start, so that nobody trusts a file unseen. Invalid files are rejected. */
async function trustProject(directory: string | undefined, flags: CommonFlags): Promise<ExitCode> {
  const cwd = directory === undefined ? workingDirectory(flags.directory) : workingDirectory(directory, "");
  const files = [projectServersFile(cwd), projectConfigFile(cwd)].filter((file) => file !== undefined);
  if (files.length === 0) {
    throw usageFailure(
      `there is no project configuration for ${cwd}`,
      `Create ${join(cwd, ".roundtable", "config.jsonc")} or .mcp.json`,
    );
  }
  // Read all files before trusting any: all or nothing.
  const read = files.map((file) => readToTrust(file, { isOnly: files.length === 1 }));
  for (const one of read) {
    for (const warning of one.warnings) note(noteLine(warning));
    if (one.text === undefined) continue;
    await trust(one.file, one.text, process.env);
    stdout.write(`trusted ${terminalSafeLine(one.file)}\n${whatItStarts(one.value)}`);
  }
  return exitCodes.ok;
}

interface ToTrust {
  readonly file: string;
  /** Absent for an invalid file. */
  readonly text?: string;
  readonly value: Pick<ConfigFile, "agents" | "mcpServers">;
  readonly warnings: readonly string[];
}

function readToTrust(file: string, { isOnly }: { isOnly: boolean }): ToTrust {
  if (basename(file) !== SERVERS_FILE) {
    const text = readText(file);
    return { file, text, value: parseConfig(text, file).value, warnings: [] };
  }
  const read = readServersFile(file);
  if ("problem" in read) {
    if (isOnly) throw configFailure(read.problem);
    return { file, value: {}, warnings: [read.problem] };
  }
  const { settings, problems: faults } = read.servers;
  const mcpServers = Object.fromEntries(settings.map(({ path, value }) => [path.slice("mcpServers.".length), value]));
  return {
    file,
    text: read.text,
    value: { mcpServers },
    warnings: faults.length === 0 ? [] : [formatLeftOutServers(faults)],
  };
}

function whatItStarts({ agents = {}, mcpServers = {} }: ToTrust["value"]): string {
  const lines = [
    ...Object.entries(agents).map(
      ([name, agent]) =>
        `agent ${name}: ${terminalSafeLine(agent.command?.join(" ") ?? withoutCredentials(agent.baseUrl ?? agent.kind))}`,
    ),
    ...Object.entries(mcpServers).map(
      ([name, server]) => `tool server ${name}: ${terminalSafeLine(howReached(server))}`,
    ),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}
