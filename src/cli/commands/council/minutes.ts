/** `council minutes`: writes minutes of the last discussion and prints them as Markdown. */
import { terminalSafe } from "../../../kit/text/terminal-safe.ts";
import { granted, type EventOf, type SessionEvent } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { stdout } from "../../terminal/stdout.ts";
import { withSession } from "../../sessions/with-session.ts";
import { followWork, styleOf } from "./follow-work.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, SESSION_OR_LAST } from "../options.ts";

type MinutesFlags = CommonFlags & { by?: string; json?: boolean };

export const declareMinutes: DeclareCommand = (command, run) => {
  command
    .argument("[id]", SESSION_OR_LAST)
    .option("--by <name>", "member that writes the minutes")
    .option("--json", "print JSON");
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples(["roundtable council minutes > minutes.md", "roundtable council minutes --by claude"]),
  );
  command.action(async (id: string | undefined, flags: MinutesFlags) => run(flags, (all) => councilMinutes(id, all)));
};

async function councilMinutes(given: string | undefined, flags: MinutesFlags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    let made: EventOf<"minutes"> | undefined;
    const note = (events: readonly SessionEvent[]): boolean => {
      made ??= events.find((event): event is EventOf<"minutes"> => event.type === "minutes");
      return made !== undefined;
    };
    const by = flags.by === undefined ? {} : { by: flags.by };
    await followWork(client, sessionId, {
      style: styleOf(flags),
      fromPosition: () => undefined,
      isOver: (_, events) => note(events),
      begin: async () => void granted(await client.command(sessionId, { type: "minutes", ...by })),
    });
    const text = made?.text ?? "";
    if (flags.json === true) stdout.write(jsonLine({ sessionId, by: made?.by ?? null, text }));
    else stdout.write(`${stdout.isTty ? terminalSafe(text) : text}\n`);
    return exitCodes.ok;
  });
}
