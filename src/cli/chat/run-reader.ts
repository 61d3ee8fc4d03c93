/** The conversation as appended lines, for screen readers, plain terminals and pipes, with what it needs from this machine. */
import type { Client } from "../../client/index.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { stdout } from "../terminal/stdout.ts";
import { choose, screenOptions, type ChatPlan } from "./run-chat.ts";
import type { OpenHostConnection } from "../connect/connect-to-host.ts";

const LEAVE_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Whether lines are wanted instead of a screen: told so, or there is no terminal that could be drawn on. */
export function wantsLines(flags: { screenReader?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  const { ACCESSIBLE = "" } = env;
  const isRequested = flags.screenReader === true || !["", "0", "false"].includes(ACCESSIBLE.toLowerCase());
  return isRequested || env["TERM"] === "dumb" || !process.stdin.isTTY || !process.stdout.isTTY;
}

export async function runReaderChat(plan: ChatPlan): Promise<ExitCode> {
  const { runReader } = await import("../../tui/index.ts");
  const stop = new AbortController();
  const leave = () => (stop.signal.aborted ? process.exit(exitCodes.interrupted) : stop.abort());
  for (const signal of LEAVE_SIGNALS) process.on(signal, leave);
  // Whoever listened is gone: there is nobody left to talk to.
  stdout.onError(() => stop.abort());
  let connection: OpenHostConnection | undefined;
  const isTyped = process.stdin.isTTY;
  try {
    await runReader({
      ...screenOptions(plan, async () => (connection = await plan.connect())),
      choose: (client) => chooseFor(client, plan, isTyped),
      write: (text) => stdout.write(text),
      input: process.stdin,
      isTyped,
      onInterrupt: (listener) => {
        process.on("SIGINT", listener);
        return () => process.off("SIGINT", listener);
      },
      signal: stop.signal,
    });
    return exitCodes.ok;
  } finally {
    // The host is given the time it needs; whoever cannot wait presses Ctrl+C again.
    process.once("SIGINT", () => process.exit(exitCodes.interrupted));
    await connection?.close();
    for (const signal of LEAVE_SIGNALS) process.off(signal, leave);
  }
}

/** The first line of a pipe is a message, so nothing is picked from a list there. */
async function chooseFor(client: Client, plan: ChatPlan, isTyped: boolean) {
  const choice = await choose(plan, client);
  return "pick" in choice && !isTyped ? { sessionId: undefined } : choice;
}
