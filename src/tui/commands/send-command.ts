/** A wish to the session, and its outcome in words: what is now so, or why not. */
import type { CommandBody } from "../../client/index.ts";
import type { Tone } from "../theme/theme.ts";
import type { CommandScreen } from "./command.ts";

/** True when the wish became a fact. */
export async function sendCommand(
  screen: CommandScreen,
  body: CommandBody,
  done: string,
  tone: Tone = "good",
): Promise<boolean> {
  const ack = await screen.command(body);
  if (ack.ok) screen.notify(done, tone);
  else
    screen.notify(ack.error.hint === undefined ? ack.error.message : `${ack.error.message} ${ack.error.hint}`, "bad");
  return ack.ok;
}
