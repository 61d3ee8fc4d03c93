/** `run`: asks once, like -p. */
import { ask } from "../ask/ask.ts";
import type { AskFlags } from "../flags.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { addAskOptions, addCommonOptions, addServerOption } from "./options.ts";

export const declareRun: DeclareCommand = (command, run) => {
  command.argument("[text...]", "the question");
  addAskOptions(command);
  addServerOption(command, { canStart: true });
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples(["roundtable run Where is the config read?", "git diff | roundtable run Review this"]),
  );
  command.action(async (args: string[], flags: AskFlags) => run(flags, (all) => ask(args.join(" "), all)));
};
