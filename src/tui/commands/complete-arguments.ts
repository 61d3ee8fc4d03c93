/** What could follow a command's name. */
import type { Completion } from "../input/prompt.ts";
import type { CommandScreen } from "./command.ts";
import { findCommand } from "./registry.ts";

const SHOWN_MAX = 100;

/** A value replaces everything after the name. Completing never fails loudly: there is then just nothing to offer. */
export async function completeArguments(
  screen: CommandScreen,
  name: string,
  prefix: string,
): Promise<readonly Completion[]> {
  try {
    const completions = await findCommand(name)?.complete?.(screen, prefix);
    return completions?.slice(0, SHOWN_MAX) ?? [];
  } catch {
    // The host may be away while somebody types; the command itself will say so when it is run.
    return [];
  }
}
