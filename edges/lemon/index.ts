/** Lemon: sessions as JSON lines on standard input and output (`roundtable rpc`). */
import type { Command } from "commander";
import type { Edge, EdgeCommands } from "../../src/edge/index.ts";
import { usageFailure } from "../../src/kit/failure.ts";
import type { RpcFlags } from "./rpc.ts";

export const lemon: Edge = { name: "lemon", addCommands: addRpc };

type WrittenRpcFlags = RpcFlags & { base_url?: string; system_prompt?: string; session_file?: string };

function addRpc(commands: EdgeCommands): void {
  const rpc = commands.parent
    .command("rpc")
    .description("control sessions over JSON lines on stdin and stdout, for other user interfaces")
    .argument("[options...]", "the same options again, after --");
  addRpcOptions(rpc, commands);
  commands.addCommonOptions(rpc);
  commands.addExamples(rpc, [
    "roundtable rpc --cwd ~/src/project",
    `echo '{"type":"list_sessions"}' | roundtable rpc`,
    "roundtable rpc --model roundtable:claude+codex --no-ui",
  ]);
  rpc.action(async (args: string[], flags: WrittenRpcFlags) =>
    commands.run({ ...flags, ...optionsAfterDashes(rpc, args, commands) }, async (all, context) => {
      const { rpc: speak } = await import("./rpc.ts");
      return await speak(normalizeFlags(all), context);
    }),
  );
}

function addRpcOptions(command: Command, { addConfigOption }: EdgeCommands): void {
  const hidden = (flags: string) => command.createOption(flags).hideHelp();
  command
    .option("--cwd <dir>", "the same as -C")
    .option("--model <provider:id>", "members: roundtable:NAME+NAME, or an agent kind and its model")
    .option("--base-url <url>", "address of the model server")
    .option("--system-prompt <text>", "system prompt of every member")
    .option("--session-file <path>", "continue the session of this file, or with this id")
    .option("--debug", "also print lines of type debug")
    .option("--no-ui", "never ask: requests get their safe default immediately")
    .addOption(hidden("--base_url <url>"))
    .addOption(hidden("--system_prompt <text>"))
    .addOption(hidden("--session_file <path>"));
  addConfigOption(command);
}

/** Clients that start us through a script put their options after `--`, where they are not parsed as options. */
function optionsAfterDashes(rpc: Command, args: readonly string[], commands: EdgeCommands): WrittenRpcFlags {
  if (args.length === 0) return {};
  const again = rpc
    .createCommand("rpc")
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  addRpcOptions(again, commands);
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
