/** A session created over this wire has no title; its first message becomes the title, as elsewhere. */
import type { Clock } from "../../../src/kit/clock.ts";
import { withEllipsis } from "../../../src/kit/text/format.ts";
import { newId } from "../../../src/kit/ids.ts";
import type { Ack } from "../../../src/protocol/index.ts";
import { sendCommand, type ServedHost } from "../../../src/server/index.ts";
import { CLIENT_ID, type SessionRoom } from "./session-room.ts";

const TITLE_CHARS_MAX = 80;

/**
 * Sends a message. Of several at once the first names the session, and a refused one does not. A rejected title does
 * no harm.
 */
export async function sendTitled(
  deps: { readonly host: ServedHost; readonly clock: Clock },
  room: SessionRoom,
  text: string,
  send: () => Promise<Ack>,
): Promise<Ack> {
  const title = withEllipsis(text.replaceAll(/\s+/g, " ").trim(), TITLE_CHARS_MAX);
  const { head } = room.transcript;
  const isFirst = head.title === "" && head.userCount === 0 && title !== "" && room.claimTitle();
  const ack = await send();
  if (isFirst && !ack.ok) room.releaseTitle();
  if (!isFirst || !ack.ok) return ack;
  const command = { type: "rename", commandId: newId(), title } as const;
  const frame = { frame: "command", sessionId: room.sessionId, command } as const;
  void sendCommand(deps, CLIENT_ID, frame).catch(() => undefined);
  return ack;
}
