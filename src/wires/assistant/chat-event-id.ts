/**
 * The id of a chat event: made of the id of the event it comes from, so that it is the same live, after a reload and
 * on every server. It has the form of a UUID because assistant's own ids have.
 */
import { createHash } from "node:crypto";

/** `part` counts what one event becomes. */
export function chatEventId(eventId: string, part: number): string {
  const hash = createHash("sha256").update(`${eventId}/${part}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex", 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
