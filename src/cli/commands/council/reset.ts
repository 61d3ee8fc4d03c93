/** `council reset`: clears the context of members and screens; the log keeps everything. */
import { granted } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { stdout } from "../../terminal/stdout.ts";
import { withSession } from "../../sessions/with-session.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, SESSION_OR_LAST } from "../options.ts";

export const declareReset: DeclareCommand = (command, run) => {
  command.argument("[id]", SESSION_OR_LAST);
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable council reset", "roundtable council reset q5mgaw"]));
  command.action(async (id: string | undefined, flags: CommonFlags) => run(flags, (all) => resetCouncil(id, all)));
};

async function resetCouncil(given: string | undefined, flags: CommonFlags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    granted(await client.command(sessionId, { type: "clear" }));
    stdout.write(`${sessionId} was reset; earlier messages stay in its log.\n`);
    return exitCodes.ok;
  });
}
