/** `--resume` without an id before a question: the list on the terminal, and then the question goes on. */
import type { Client } from "../../client/index.ts";
import { wantsLines } from "../chat/run-reader.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure, usageFailure } from "../../kit/failure.ts";
import { isInForeground } from "../terminal/foreground.ts";
import { hasDirectory } from "./directory.ts";

export async function pickOnTerminal(client: Client): Promise<string> {
  if (wantsLines({})) {
    const hint = "Give its id, a part of it or its title; -c goes on in the last one of this directory";
    throw usageFailure("--resume without a session needs a terminal to pick it on", hint);
  }
  const sessions = await client.list();
  if (sessions.length === 0) {
    throw new Failure(exitCodes.noSuchSession, "unknown_session", "there are no sessions yet to go on with", {
      hint: "Leave --resume out to begin one",
    });
  }
  const { runSessionPicker } = await import("../../tui/index.ts");
  const stop = new AbortController();
  const picked = await runSessionPicker({
    sessions,
    now: Date.now(),
    env: process.env,
    hasDirectory,
    isInForeground,
    signal: stop.signal,
  });
  if (picked !== undefined) return picked;
  throw new Failure(exitCodes.interrupted, "interrupted", "no session was chosen, and nothing was asked");
}
