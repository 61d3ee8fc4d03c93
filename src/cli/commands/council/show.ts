/** `council show`: prints the last message and its answers, or more of the session. */
import { loadedMessages, loadedMessagesBackward, type Transcript } from "../../../transcript/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { TranscriptPrinter } from "../../print/transcript-printer.ts";
import { readTranscript } from "../../../client/index.ts";
import { stdout } from "../../terminal/stdout.ts";
import { withSession } from "../../sessions/with-session.ts";
import { styleOf } from "./follow-work.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { toCount } from "../option-values.ts";
import { addCommonOptions, SESSION_OR_LAST } from "../options.ts";

type ShowFlags = CommonFlags & { json?: boolean; last?: number; all?: boolean };

export const declareShow: DeclareCommand = (command, run) => {
  command
    .argument("[id]", SESSION_OR_LAST)
    .option("--last <number>", "show this many of the last messages", toCount)
    .option("--all", "show the whole session")
    .option("--json", "print JSON");
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable council show", "roundtable council show q5mgaw --last 3"]));
  command.action(async (id: string | undefined, flags: ShowFlags) => run(flags, (all) => showCouncil(id, all)));
};

async function showCouncil(given: string | undefined, flags: ShowFlags): Promise<ExitCode> {
  return await withSession(
    given,
    flags,
    async ({ client, sessionId }) => {
      const transcript = await readTranscript(client, sessionId);
      const fromPosition = flags.all === true ? 0 : positionOfLast(transcript, flags.last ?? 1);
      if (flags.json === true) {
        const messages = [...loadedMessages(transcript)].filter((message) => message.position >= fromPosition);
        stdout.write(jsonLine({ sessionId, title: transcript.head.title, messages }));
        return exitCodes.ok;
      }
      const write = (text: string) => stdout.write(text);
      new TranscriptPrinter({ write, style: styleOf(flags), wants: () => true, fromPosition }).finish(transcript);
      return exitCodes.ok;
    },
    { isReader: true },
  );
}

/** Position of the user's `count`-th message from the end; 0 when there are fewer. */
export function positionOfLast(transcript: Transcript, count: number): number {
  let left = count;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "user" && --left === 0) return message.position;
  }
  return 0;
}
