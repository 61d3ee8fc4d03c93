/** `roundtable acp`: the whole table as one agent of the Agent Client Protocol, on stdin and stdout. No port is opened. */
import type { CommonFlags } from "../../args.ts";
import { exitCodes, type ExitCode } from "../../exit-codes.ts";

export async function acp(_flags: CommonFlags): Promise<ExitCode> {
  return exitCodes.failure;
}
