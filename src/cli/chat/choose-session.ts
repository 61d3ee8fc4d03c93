/** Which session a screen opens on. */
import type { Client } from "../../client/index.ts";
import type { SessionChoice } from "../../tui/index.ts";
import { findSession } from "../find-session.ts";
import { newestIn } from "../newest-session.ts";

export interface ChatWish {
  /** An id or the beginning of one. */
  readonly id?: string | undefined;
  readonly isNew?: boolean;
  /** The list first, whatever there is. */
  readonly isPicking?: boolean;
  /** Asked for when it decides something: on a server it is the server that knows. */
  readonly cwd: () => Promise<string>;
}

/** The one asked for; else the last one of this directory; else the user picks among the others, or a new one begins. */
export async function chooseSession(client: Client, wish: ChatWish): Promise<SessionChoice> {
  if (wish.isNew === true) return { sessionId: undefined };
  if (wish.id !== undefined) return { sessionId: await findSession(client, wish.id) };
  const open = (await client.list()).filter((one) => !one.archived);
  if (wish.isPicking === true) return open.length > 0 ? { pick: true } : { sessionId: undefined };
  const newest = newestIn(open, await wish.cwd());
  if (newest !== undefined) return { sessionId: newest.sessionId };
  return open.length > 0 ? { pick: true } : { sessionId: undefined };
}
