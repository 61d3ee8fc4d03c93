/** Runs the chat as append-only lines, for screen readers, dumb terminals and pipes. */
import type { Client } from "../../client/index.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { stdout } from "../terminal/stdout.ts";
import { choose, screenOptions, type ChatPlan } from "./run-chat.ts";
import type { OpenHostConnection } from "../connect/connect-to-host.ts";

const LEAVE_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** True when lines are requested or no terminal can be drawn on. */
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
  // The reader of stdout is gone.
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
    // Wait for the host to close; Ctrl+C again exits at once.
    process.once("SIGINT", () => process.exit(exitCodes.interrupted));
    await connection?.close();
    for (const signal of LEAVE_SIGNALS) process.off(signal, leave);
  }
}

/** On a pipe the first line is a message, so there is no picker. */
async function chooseFor(client: Client, plan: ChatPlan, isTyped: boolean) {
  const choice = await choose(plan, client);
  return "pick" in choice && !isTyped ? { sessionId: undefined } : choice;
}
