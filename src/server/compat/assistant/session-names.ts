/** Sessions by the ids that clients of assistant use: those they chose themselves, or ours. */
import { isUlid } from "../../../kit/ids.ts";
import type { Kept } from "./session-marks.ts";

/** As assistant allows them. */
export const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Undefined for an id that cannot be any session's. */
export function ourId({ ids }: Kept, theirs: string): string | undefined {
  if (Object.hasOwn(ids, theirs)) return ids[theirs];
  return isUlid(theirs) ? theirs : undefined;
}

export function theirId({ ids }: Kept, ours: string): string {
  return Object.entries(ids).find(([, one]) => one === ours)?.[0] ?? ours;
}
