/** A session created over this wire has no title; its first message becomes the title, as elsewhere. */
import type { Clock } from "../../../src/kit/clock.ts";
import { withEllipsis } from "../../../src/kit/text/format.ts";
import { newId } from "../../../src/kit/ids.ts";
import { sendCommand, type ServedHost } from "../../../src/server/index.ts";
import { CLIENT_ID, type SessionRoom } from "./session-room.ts";

const TITLE_CHARS_MAX = 80;

/**
 * Called before the message is sent. Clients get the title with the session's first update. A rejected title does no
 * harm.
 */
export function titleSession(
  deps: { readonly host: ServedHost; readonly clock: Clock },
  room: SessionRoom,
  text: string,
): void {
  const title = withEllipsis(text.replaceAll(/\s+/g, " ").trim(), TITLE_CHARS_MAX);
  const { head } = room.transcript;
  if (head.title !== "" || head.userCount > 0 || title === "" || !room.claimTitle(title)) return;
  const command = { type: "rename", commandId: newId(), title } as const;
  const frame = { frame: "command", sessionId: room.sessionId, command } as const;
  // Not awaited: of two simultaneous messages the first must stay first.
  void sendCommand(deps, CLIENT_ID, frame).catch(() => undefined);
}
