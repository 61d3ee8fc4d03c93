/** `share` and `unshare`: one session of this machine for the team, or no longer. */
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { dataDirectory } from "../../config/paths.ts";
import type { CommonFlags } from "../../flags.ts";
import { findSession } from "../../sessions/find-session.ts";
import { stdout } from "../../terminal/stdout.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, SESSION } from "../options.ts";

export const declareShare: DeclareCommand = (command, run) => {
  command.argument("<session>", SESSION);
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable share q5mgaw"]));
  command.action(async (session: string, flags: CommonFlags) => run(flags, (all) => choose(session, all, true)));
};

export const declareUnshare: DeclareCommand = (command, run) => {
  command.argument("<session>", SESSION);
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable unshare q5mgaw"]));
  command.action(async (session: string, flags: CommonFlags) => run(flags, (all) => choose(session, all, false)));
};

async function choose(given: string, flags: CommonFlags, isShared: boolean): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const [{ chooseShare, whatSharingDoes }, { openInProcessHost }] = await Promise.all([
    import("../../../team/index.ts"),
    import("../../connect/in-process-host.ts"),
  ]);
  const host = await openInProcessHost(dataDir);
  try {
    const sessionId = await findSession(host.client, given);
    await chooseShare(dataDir, sessionId, isShared);
    stdout.write(`${whatSharingDoes(dataDir, isShared)}\n`);
  } finally {
    await host.close();
  }
  return exitCodes.ok;
}
