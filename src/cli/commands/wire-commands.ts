/** The commands that speak another program's protocol on standard input and output. */
import { Option, type Command } from "commander";
import type { CommonFlags } from "../flags.ts";
import { addConfigOption, withOptionsAbove, type CommandGroup } from "./command-group.ts";
import type { RpcFlags } from "./rpc/rpc.ts";
import { usageFailure } from "../../kit/failure.ts";
import { examples } from "./help-texts.ts";

export function addWireCommands(wires: CommandGroup): void {
  addRpc(wires);
  addAcp(wires);
}

type WrittenRpcFlags = RpcFlags & { base_url?: string; system_prompt?: string; session_file?: string };

function addRpc({ program, addCommonOptions, run }: CommandGroup): void {
  const rpc = program
    .command("rpc")
    .description("sessions as JSON lines on stdin and stdout, with overlays, for other programs' screens")
    .argument("[options...]", "the same options again, after --");
  addRpcOptions(rpc);
  addCommonOptions(rpc);
  rpc.addHelpText(
    "after",
    examples([
      "roundtable rpc --cwd ~/src/project",
      `echo '{"type":"list_sessions"}' | roundtable rpc`,
      "roundtable rpc --model roundtable:claude+codex --no-ui",
    ]),
  );
  rpc.action(async (args: string[], flags: WrittenRpcFlags) =>
    run(withOptionsAbove(flags, optionsAfterDashes(rpc, args)), async (all) => {
      const { rpc: speak } = await import("./rpc/rpc.ts");
      return await speak(normalizeFlags(all));
    }),
  );
}

function addRpcOptions(command: Command): void {
  command
    .option("--cwd <dir>", "work in this directory")
    .option("--model <provider:id>", "who sits down: roundtable:NAME+NAME, or an agent kind and its model")
    .option("--base-url <url>", "where the model's server is")
    .option("--system-prompt <text>", "what every member is told")
    .option("--session-file <path>", "go on in the session of this file, or with this id")
    .option("--debug", "say more, in lines of type debug")
    .option("--no-ui", "ask nothing: requests get their safe default at once")
    .addOption(new Option("--base_url <url>").hideHelp())
    .addOption(new Option("--system_prompt <text>").hideHelp())
    .addOption(new Option("--session_file <path>").hideHelp());
  addConfigOption(command);
}

/** Clients that start us through a script put their options after `--`, where nothing is an option. */
function optionsAfterDashes(rpc: Command, args: readonly string[]): WrittenRpcFlags {
  if (args.length === 0) return {};
  const again = rpc
    .createCommand("rpc")
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  addRpcOptions(again);
  again.parse([...args], { from: "user" });
  const [extra] = again.args;
  if (extra !== undefined) throw usageFailure(`rpc takes no argument "${extra}"`, "See roundtable rpc --help");
  return again.opts<WrittenRpcFlags>();
}

function normalizeFlags({ base_url, system_prompt, session_file, ...flags }: WrittenRpcFlags): RpcFlags {
  return {
    ...flags,
    ...(base_url === undefined ? {} : { baseUrl: base_url }),
    ...(system_prompt === undefined ? {} : { systemPrompt: system_prompt }),
    ...(session_file === undefined ? {} : { sessionFile: session_file }),
  };
}

function addAcp({ program, addCommonOptions, run }: CommandGroup): void {
  const acp = program
    .command("acp")
    .description("the whole table as one agent for editors that speak the Agent Client Protocol");
  addConfigOption(acp);
  addCommonOptions(acp);
  acp.addHelpText("after", examples(["roundtable acp", "roundtable acp --data-dir ~/.local/share/roundtable"]));
  acp.action(async (flags: CommonFlags) => run(flags, async (all) => (await import("./acp/acp.ts")).acp(all)));
}
