/** Who is on this machine, and one turn to try somebody. */
import type { CommonFlags } from "../../flags.ts";
import { addConfigOption, withOptionsAbove, type CommandGroup } from "../command-group.ts";
import { examples } from "../help-texts.ts";
import { toSeconds } from "../option-values.ts";

export function addAgentCommands({ program, addCommonOptions, run }: CommandGroup): void {
  const agents = program.command("agents").description("list the agents on this machine and the default members");
  agents
    .option("--json", "the list as JSON")
    .addHelpText(
      "after",
      examples([
        "roundtable agents",
        "roundtable agents --json | jq '.agents[].name'",
        "roundtable agents test claude",
      ]),
    );
  addConfigOption(agents);
  addCommonOptions(agents);
  agents.action(async (flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./agents.ts")).listAgents(all)),
  );
  const test = agents
    .command("test")
    .description("run one short turn with a member: time to first text, answer, usage, errors")
    .argument("<name>", "a configured, built-in or detected member");
  test
    .option("--json", "the result as JSON")
    .option("--timeout <seconds>", "stop after this time and exit with 3", toSeconds)
    .addHelpText("after", examples(["roundtable agents test claude", "roundtable agents test codex --timeout 20"]));
  addConfigOption(test);
  addCommonOptions(test);
  test.action(async (name: string, flags: CommonFlags & { json?: boolean; timeout?: number }) =>
    run(withOptionsAbove(agents.opts<CommonFlags>(), flags), async (all) =>
      (await import("./agents.ts")).testAgent(name, all),
    ),
  );
}
