/** Chooses the session that a screen opens on. */
import type { Client } from "../../client/index.ts";
import type { SessionChoice } from "../../tui/index.ts";
import { findSession, newestIn, noLastSession } from "../sessions/find-session.ts";

export interface SessionSelection {
  /** An id, a part of one, or a title. */
  readonly id?: string | undefined;
  readonly isNew?: boolean;
  /** Always show the list first. */
  readonly isPicking?: boolean;
  /** The last session of this directory; an error when there is none. */
  readonly isLast?: boolean;
  /** Lazy: with attach it is the server's directory. */
  readonly cwd: () => Promise<string>;
}

/** The requested session, else the last of this directory, else a new one. */
export async function chooseSession(client: Client, selection: SessionSelection): Promise<SessionChoice> {
  if (selection.isNew === true) return { sessionId: undefined };
  if (selection.id !== undefined) return { sessionId: await findSession(client, selection.id) };
  const all = await client.list();
  if (selection.isPicking === true) return all.length > 0 ? { pick: true } : { sessionId: undefined };
  const cwd = await selection.cwd();
  const newest = newestIn(all, cwd);
  if (newest !== undefined) return { sessionId: newest.sessionId };
  if (selection.isLast === true) throw noLastSession(cwd);
  return { sessionId: undefined };
}
