/** Sessions by the ids of assistant's clients: chosen by them, or ours. */
import { isUlid } from "../../../src/kit/ids.ts";
import type { SessionSummary } from "../../../src/protocol/index.ts";
import type { ClientState } from "./session-marks.ts";

/** Format that assistant allows. */
export const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Undefined for an invalid id. */
export function ourId({ ids }: ClientState, theirs: string): string | undefined {
  if (Object.hasOwn(ids, theirs)) return ids[theirs];
  return isUlid(theirs) ? theirs : undefined;
}

export function theirId({ ids }: ClientState, ours: string): string {
  return Object.entries(ids).find(([, one]) => one === ours)?.[0] ?? ours;
}

/** The session with the client's name, else the newest. Throws when there is none. */
export function nameOrNewest(state: ClientState, all: readonly SessionSummary[], given: string): string {
  const wanted = given === "" ? undefined : ourId(state, given);
  const sessions = all.filter((one) => !one.archived);
  if (sessions.some((one) => one.sessionId === wanted)) return given;
  const [newest] = sessions.toSorted((a, b) => b.updatedTs - a.updatedTs);
  if (newest === undefined) throw new Error("There is no session yet. Create one first.");
  return theirId(state, newest.sessionId);
}
