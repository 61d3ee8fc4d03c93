/** `config`: shows, describes, tests and trusts configuration. */
import { addCommands, examples, type CommandEntry, type DeclareCommand } from "../command.ts";

const commands: readonly CommandEntry[] = [
  {
    name: "show",
    summary: "print the effective configuration",
    load: async () => (await import("./show.ts")).declareShow,
  },
  {
    name: "schema",
    summary: "print the JSON schema of the configuration file",
    load: async () => (await import("./show.ts")).declareSchema,
  },
  {
    name: "path",
    summary: "print the configuration files in the order they are read",
    load: async () => (await import("./show.ts")).declarePath,
  },
  {
    name: "trust",
    summary: "trust the current content of a project's .roundtable/config.jsonc and .mcp.json",
    load: async () => (await import("./trust.ts")).declareTrust,
  },
  {
    name: "servers",
    summary: "list the tool servers (MCP) and check that they answer",
    load: async () => (await import("./servers.ts")).declareServers,
  },
];

export const declareConfig: DeclareCommand = (command, run) => {
  addCommands(command, commands, run);
  command.addHelpText("after", examples(["roundtable config show --origin", "roundtable config trust"]));
};
