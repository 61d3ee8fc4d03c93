/**
 * Id of a chat event, derived from the id of its source event, so that it is the same live, after a reload and
 * on every server. It has the form of a UUID because assistant's own ids have.
 */
import { hash } from "node:crypto";

/** Hex digits with the variant bits of a UUID. */
const VARIANT = "89ab";

/** `part` numbers the chat events of one source event. */
export function chatEventId(eventId: string, part: number): string {
  const hex = hash("sha256", `${eventId}/${part}`, "hex");
  const variant = VARIANT[Number.parseInt(hex.charAt(16), 16) % VARIANT.length] ?? "8";
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
