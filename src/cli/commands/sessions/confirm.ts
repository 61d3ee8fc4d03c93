/** Confirmation on the terminal before a destructive command. */
import { createInterface } from "node:readline/promises";
import { usageFailure } from "../../../kit/failure.ts";

export interface ConfirmOptions {
  readonly yes?: boolean;
  readonly input?: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly output?: NodeJS.WritableStream & { isTTY?: boolean };
}

/** True with --yes. Throws a Failure without a terminal. */
export async function confirm(question: string, options: ConfirmOptions): Promise<boolean> {
  const { yes = false, input = process.stdin, output = process.stderr } = options;
  if (yes) return true;
  if (input.isTTY !== true || output.isTTY !== true) {
    throw usageFailure("this command needs confirmation, and there is no terminal", "Add --yes to confirm");
  }
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
