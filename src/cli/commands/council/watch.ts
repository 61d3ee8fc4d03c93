/**
 * `council watch`: follows the answers to the last message until the members are done. Connects to the background
 * server, so that stopping it stops nothing else.
 */
import type { CommonFlags } from "../../flags.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { connectToHost } from "../../connect/connect-to-host.ts";
import { dataDirectory, workingDirectory } from "../../config/paths.ts";
import { existingDataDirectory } from "../../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { noSession, sessionOf } from "../../sessions/with-session.ts";
import { followWork, isQuiet, styleOf } from "./follow-work.ts";
import { positionOfLast } from "./show.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, SESSION_OR_LAST } from "../options.ts";

export const declareWatch: DeclareCommand = (command, run) => {
  command.argument("[id]", SESSION_OR_LAST);
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable council watch", "roundtable council watch q5mgaw"]));
  command.action(async (id: string | undefined, flags: CommonFlags) => run(flags, (all) => watchCouncil(id, all)));
};

async function watchCouncil(given: string | undefined, flags: CommonFlags): Promise<ExitCode> {
  const dataDir = existingDataDirectory(dataDirectory(process.env, flags.dataDir, process.cwd()));
  if (dataDir === undefined) throw noSession(given, flags);
  const connection = await connectToHost({ dataDir, cwd: workingDirectory(flags.directory) });
  const leave = () => process.exit(exitCodes.interrupted);
  const stops = listenForStops(leave, leave);
  try {
    const sessionId = await sessionOf(connection.client, given, flags);
    await followWork(connection.client, sessionId, {
      style: styleOf(flags),
      fromPosition: (transcript) => positionOfLast(transcript, 1),
      isOver: isQuiet,
    });
    return exitCodes.ok;
  } finally {
    stops.release();
    await connection.close();
  }
}
