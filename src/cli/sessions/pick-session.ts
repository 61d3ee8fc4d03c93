/** Session picker on the terminal for `-p --resume` without an id. */
import type { Client } from "../../client/index.ts";
import { wantsLines } from "../chat/run-reader.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure, usageFailure } from "../../kit/failure.ts";
import { isInForeground } from "../terminal/foreground.ts";
import { hasDirectory } from "./directory.ts";

export async function pickOnTerminal(client: Client): Promise<string> {
  if (wantsLines({})) {
    const hint = "Give an id, part of an id, or a title; -c continues the last session of this directory";
    throw usageFailure("--resume without a session needs a terminal to pick one", hint);
  }
  const sessions = await client.list();
  if (sessions.length === 0) {
    throw new Failure(exitCodes.noSuchSession, "unknown_session", "there are no sessions to continue yet", {
      hint: "Remove --resume to start one",
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
  throw new Failure(exitCodes.interrupted, "interrupted", "no session was chosen; nothing was sent");
}
