/** Configuration, and completion for shells. */
import type { CommonFlags } from "../../flags.ts";
import { addConfigOption, type CommandGroup } from "../command-group.ts";
import { examples } from "../help-texts.ts";

export function addConfigCommands({ program, addCommonOptions, run }: CommandGroup): void {
  const config = program.command("config").description("show, describe, test and trust configuration");
  const show = config
    .command("show")
    .description("print the effective configuration")
    .option("--origin", "show where each key was set");
  show.addHelpText(
    "after",
    examples([
      "roundtable config show --origin",
      "ROUNDTABLE_TIMEOUT=60 roundtable config show --origin",
      "roundtable config show --origin --config council.limits.usd=2",
    ]),
  );
  const schema = config.command("schema").description("print the JSON schema of the configuration file");
  schema.addHelpText("after", examples(["roundtable config schema > roundtable.schema.json"]));
  const path = config.command("path").description("print the configuration files in the order they are read");
  path.addHelpText("after", examples(["roundtable config path"]));
  const trust = config
    .command("trust")
    .description("trust the current content of a project's .roundtable/config.jsonc and .mcp.json")
    .argument("[dir]", "project directory");
  trust.addHelpText("after", examples(["roundtable config trust", "roundtable config trust ~/src/project"]));
  const servers = config.command("servers").description("list the tool servers (MCP) and check that they answer");
  servers.addHelpText("after", examples(["roundtable config servers"]));
  for (const command of [show, servers]) addConfigOption(command);
  for (const command of [show, schema, path, trust, servers]) addCommonOptions(command);
  const load = () => import("./show.ts");
  show.action(async (flags: CommonFlags & { origin?: boolean }) =>
    run(flags, async (all) => (await load()).showConfig(all)),
  );
  schema.action(async () => run({}, async () => (await load()).showConfigSchema()));
  path.action(async (flags: CommonFlags) => run(flags, async (all) => (await load()).showConfigPath(all)));
  trust.action(async (dir: string | undefined, flags: CommonFlags) =>
    run(flags, async (all) => (await import("./trust.ts")).trustProject(dir, all)),
  );
  servers.action(async (flags: CommonFlags) =>
    run(flags, async (all) => (await import("./servers.ts")).showServers(all)),
  );
  config.addHelpText("after", examples(["roundtable config show --origin", "roundtable config trust"]));
}

export function addCompletionCommand({ program, run }: CommandGroup): void {
  const completion = program
    .command("completion")
    .description("print a completion script for your shell")
    .argument("<shell>", "bash, zsh or fish");
  completion.addHelpText(
    "after",
    examples([
      'eval "$(roundtable completion bash)"',
      "roundtable completion fish > ~/.config/fish/completions/roundtable.fish",
    ]),
  );
  completion.action(async (shell: string) =>
    run({}, async () => (await import("./completion.ts")).printCompletion(program, shell)),
  );
}
