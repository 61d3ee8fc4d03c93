/** `roundtable` and `roundtable chat`: the terminal app on a session of the data directory. */
import type { CommonFlags } from "../args.ts";
import { takeSeat } from "../chat/take-seat.ts";
import { runChat } from "../chat/run-chat.ts";
import { dataDirectory } from "../config/paths.ts";
import { prepareDataDirectory } from "../data-dir.ts";
import type { ExitCode } from "../exit-codes.ts";
import { usageFailure } from "../failure.ts";
import { sessionDefaults } from "../session-defaults.ts";
import { workingDirectory } from "../working-directory.ts";

export interface ChatFlags extends CommonFlags {
  new?: boolean;
  /** With an id, that session; without one, the list. */
  resume?: string | boolean;
  continue?: boolean;
  theme?: string;
}

export async function chat(id: string | undefined, flags: ChatFlags): Promise<ExitCode> {
  requireTerminal();
  const given = id ?? (typeof flags.resume === "string" ? flags.resume : undefined);
  if (given !== undefined && flags.new === true) throw usageFailure("--new and a session's id contradict each other");
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const cwd = workingDirectory(flags.directory);
  prepareDataDirectory(dataDir);
  return await runChat({
    takeSeat: () => takeSeat({ dataDir, cwd }),
    defaults: (tell) => sessionDefaults(flags, tell),
    wish: { id: given, isNew: flags.new === true, isPicking: flags.resume === true, cwd },
    dataDir,
    theme: chosenTheme(flags),
  });
}

/** Colours that were refused for everything else are refused for the screen too. */
export function chosenTheme(flags: ChatFlags): string {
  return flags.theme ?? (flags.color === "never" ? "none" : "auto");
}

export function requireTerminal(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw usageFailure("the screen needs a terminal on both sides", "Ask once with roundtable -p TEXT");
}
