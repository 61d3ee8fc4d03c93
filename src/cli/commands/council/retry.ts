/** `council retry`: retries failed turns of the last message, or the named member's, and prints the new answers. */
import { granted, type Ack } from "../../../protocol/index.ts";
import type { Transcript } from "../../../transcript/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { withSession } from "../../sessions/with-session.ts";
import { followWork, isQuiet, styleOf } from "./follow-work.ts";
import { councilStatus } from "./member-status.ts";
import { positionOfLast } from "./show.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, SESSION_OR_LAST } from "../options.ts";

const FAILED: ReadonlySet<string> = new Set(["errored", "timed_out", "interrupted"]);

type RetryFlags = CommonFlags & { member?: string };

export const declareRetry: DeclareCommand = (command, run) => {
  command
    .argument("[id]", SESSION_OR_LAST)
    .option("--member <name>", "ask only this member again, even after a successful answer");
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable council retry", "roundtable council retry --member codex"]));
  command.action(async (id: string | undefined, flags: RetryFlags) => run(flags, (all) => retryCouncil(id, all)));
};

async function retryCouncil(given: string | undefined, flags: RetryFlags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    const member = flags.member === undefined ? {} : { member: flags.member };
    const stops = listenForStops(
      () => void client.command(sessionId, { type: "interrupt", scope: "all" }),
      () => process.exit(exitCodes.interrupted),
    );
    try {
      const transcript = await followWork(client, sessionId, {
        style: styleOf(flags),
        fromPosition: (now) => positionOfLast(now, 1),
        isOver: isQuiet,
        begin: async () => void granted(forShell(await client.command(sessionId, { type: "retry", ...member }))),
      });
      return verdict(transcript);
    } finally {
      stops.release();
    }
  });
}

/** Hints of the session name commands of the screens. */
function forShell(ack: Ack): Ack {
  if (ack.ok || ack.error.hint === undefined) return ack;
  const hint = ack.error.hint.replace("/retry NAME", "roundtable council retry --member NAME");
  return { ...ack, error: { ...ack.error, hint } };
}

function verdict(transcript: Transcript): ExitCode {
  const { members } = councilStatus(transcript, Date.now());
  const failed = members.filter(({ state }) => FAILED.has(state));
  if (failed.length === 0) return exitCodes.ok;
  return failed.length === members.length ? exitCodes.failure : exitCodes.someMembersFailed;
}
