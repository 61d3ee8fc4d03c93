/** Asks the person at the terminal before something that cannot simply be done again. */
import { createInterface } from "node:readline/promises";
import { usageFailure } from "../../../kit/failure.ts";

export interface ConfirmOptions {
  readonly yes?: boolean;
  readonly input?: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly output?: NodeJS.WritableStream & { isTTY?: boolean };
}

/** True with --yes. Without a terminal there is nobody to ask, so it is refused. */
export async function confirm(question: string, options: ConfirmOptions): Promise<boolean> {
  const { yes = false, input = process.stdin, output = process.stderr } = options;
  if (yes) return true;
  if (input.isTTY !== true || output.isTTY !== true) {
    throw usageFailure("this asks first, and there is no terminal to ask at", "Give --yes to go on without asking");
  }
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
