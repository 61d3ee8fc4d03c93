/** Which session a screen opens on. */
import type { Client } from "../../client/index.ts";
import type { SessionChoice } from "../../tui/index.ts";
import { findSession } from "../sessions/find-session.ts";
import { newestIn, noLastSession } from "../sessions/newest-session.ts";

export interface SessionSelection {
  /** An id, a part of one, or a title. */
  readonly id?: string | undefined;
  readonly isNew?: boolean;
  /** The list first, whatever there is. */
  readonly isPicking?: boolean;
  /** The last one of this directory or none: it is an error when there is none. */
  readonly isLast?: boolean;
  /** Asked for when it decides something: on a server it is the server that knows. */
  readonly cwd: () => Promise<string>;
}

/** The one asked for; else the last one of this directory; else the user picks among the others, or a new one begins. */
export async function chooseSession(client: Client, selection: SessionSelection): Promise<SessionChoice> {
  if (selection.isNew === true) return { sessionId: undefined };
  if (selection.id !== undefined) return { sessionId: await findSession(client, selection.id) };
  const all = await client.list();
  if (selection.isPicking === true) return all.length > 0 ? { pick: true } : { sessionId: undefined };
  const cwd = await selection.cwd();
  const newest = newestIn(all, cwd);
  if (newest !== undefined) return { sessionId: newest.sessionId };
  if (selection.isLast === true) throw noLastSession(cwd);
  const open = all.filter((one) => !one.archived);
  return open.length > 0 ? { pick: true } : { sessionId: undefined };
}
