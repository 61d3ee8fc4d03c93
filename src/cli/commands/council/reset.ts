/** `council reset`: clears the context of members and screens; the log keeps everything. */
import { granted } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { stdout } from "../../terminal/stdout.ts";
import { withSession } from "./at-session.ts";

export async function resetCouncil(given: string | undefined, flags: CommonFlags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    granted(await client.command(sessionId, { type: "clear" }));
    stdout.write(`${sessionId} was reset; earlier messages stay in its log.\n`);
    return exitCodes.ok;
  });
}
