/** The whole session as one agent for editors that speak the Agent Client Protocol (`roundtable acp`). */
import type { Edge, EdgeCommands } from "../../src/edge/index.ts";

export const acpAgent: Edge = { name: "acp-agent", addCommands: addAcp };

function addAcp(commands: EdgeCommands): void {
  const acp = commands.parent
    .command("acp")
    .description("run the whole council as one agent for editors (Agent Client Protocol, stdin and stdout)");
  commands.addConfigOption(acp);
  commands.addCommonOptions(acp);
  commands.addExamples(acp, ["roundtable acp", "roundtable acp --data-dir ~/.local/share/roundtable"]);
  acp.action(async (flags: object) =>
    commands.run(flags, async (_, context) => (await import("./acp.ts")).acp(context)),
  );
}
