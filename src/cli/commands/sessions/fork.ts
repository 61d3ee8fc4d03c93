/** `sessions fork`: copies a session up to an event and prints the new id. */
import { commandResult } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { stdout } from "../../terminal/stdout.ts";
import { openDevice } from "../../connect/team-server.ts";
import { withSession } from "../../sessions/with-session.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { toCount } from "../option-values.ts";
import { addCommonOptions, addServerOption, SESSION } from "../options.ts";

interface ForkFlags extends CommonFlags {
  at?: number;
  name?: string;
  json?: boolean;
}

export const declareFork: DeclareCommand = (command, run) => {
  command
    .argument("<id>", SESSION)
    .option("--at <seq>", "stop at this event", toCount)
    .option("-n, --name <title>", "title of the copy")
    .option("--json", "print the id as JSON")
    .addHelpText(
      "after",
      examples([
        "roundtable sessions fork q5mgaw",
        "roundtable sessions fork q5mgaw --at 120 -n 'Another way'",
        "roundtable sessions fork q5mgaw --server https://team.example.org --on build-box",
      ]),
    );
  addServerOption(command, { canStart: true });
  addCommonOptions(command);
  command.action(async (id: string, flags: ForkFlags) => run(flags, (all) => forkSession(id, all)));
};

async function forkSession(given: string, flags: ForkFlags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    const at = flags.at === undefined ? {} : { seq: flags.at };
    const title = flags.name === undefined ? {} : { title: flags.name };
    const made = flags.on === undefined ? await forkThere() : await forkElsewhere();
    stdout.write(flags.json === true ? jsonLine(made) : `${made.sessionId}\n`);
    return exitCodes.ok;

    async function forkThere() {
      return commandResult("fork", await client.command(sessionId, { type: "fork", ...at, ...title }));
    }

    /** The machine of the session may be gone. */
    async function forkElsewhere() {
      const device = await openDevice(flags);
      return await device.ask<{ sessionId: string }>("/v1/team/forks", { sessionId, at: flags.on, ...at, ...title });
    }
  });
}
