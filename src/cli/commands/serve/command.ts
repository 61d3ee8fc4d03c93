/** The server, and the page in the browser. */
import { Option } from "commander";
import type { CommonFlags } from "../../flags.ts";
import { addConfigOption, type CommandGroup } from "../command-group.ts";
import { addCompatOptions, type CompatFlags } from "./compat-flags.ts";
import { examples } from "../help-texts.ts";
import { toPort, toSeconds } from "../option-values.ts";

export function addServeCommands({ program, addCommonOptions, run }: CommandGroup): void {
  const serve = program
    .command("serve")
    .description("run the server for browsers and terminals on this machine")
    .option("--port <number>", "port (default: any free port)", toPort)
    .option("--host <address>", "address to listen on; only 127.0.0.1 is supported")
    .addOption(new Option("--background", "print no link, and exit when the server is idle").hideHelp())
    .addOption(
      new Option("--idle <seconds>", "idle time before a background server exits").argParser(toSeconds).hideHelp(),
    );
  addCompatOptions(serve);
  addConfigOption(serve);
  addCommonOptions(serve);
  serve.addHelpText(
    "after",
    examples([
      "roundtable serve",
      "roundtable serve --port 4096 -C ~/src/project",
      "roundtable serve --config council.limits.usd=2",
    ]),
  );
  type Flags = CommonFlags & CompatFlags & { port?: number; host?: string; background?: boolean; idle?: number };
  serve.action(async (flags: Flags) => run(flags, async (all) => (await import("./serve.ts")).serve(all)));
  const web = program
    .command("web")
    .description("open the page in the browser and print a one-time link")
    .option("--no-open", "only print the link");
  addCommonOptions(web);
  web.addHelpText("after", examples(["roundtable web", "roundtable web --no-open"]));
  web.action(async (flags: CommonFlags & { open?: boolean }) =>
    run(flags, async (all) => (await import("./web.ts")).web(all)),
  );
}
