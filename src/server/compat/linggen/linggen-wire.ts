/** Wire 001: the event stream and the routes that clients of linggen ask. */
import { answer } from "../../answer.ts";
import { compatReading, type CompatParts, type CompatWire } from "../compat-wire.ts";

export function createLinggenWire(_parts: CompatParts): CompatWire {
  return {
    routes: [{ method: "GET", path: "/api/health", policy: compatReading, handle: () => answer(200, { ok: true }) }],
    close() {},
  };
}
