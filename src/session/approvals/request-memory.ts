/** How the latest requests were closed, so that a second answer hears who was first. A fold of the log. */
import * as z from "zod";
import type { Json, SessionEvent } from "../../protocol/index.ts";
import { REQUESTS_REMEMBERED_MAX } from "../limits.ts";

export const RequestMemoryJson = z.array(z.tuple([z.string(), z.string()]));

export interface RequestMemory {
  apply(event: SessionEvent): void;
  /** "answered by …", "expired" …; undefined for a request that is open or unknown. */
  closedHow(requestId: string): string | undefined;
  toJson(): Json;
}

export function createRequestMemory(saved: z.infer<typeof RequestMemoryJson> = []): RequestMemory {
  const closed = new Map<string, string>(saved);
  return {
    apply(event) {
      if (event.type === "ui_response")
        closed.set(event.requestId, `answered by ${event.by ?? event.clientId ?? "another client"}`);
      else if (event.type === "ui_cancelled") closed.set(event.requestId, event.reason.replaceAll("_", " "));
      else return;
      if (closed.size <= REQUESTS_REMEMBERED_MAX) return;
      for (const oldest of closed.keys()) {
        closed.delete(oldest);
        return;
      }
    },
    closedHow: (requestId) => closed.get(requestId),
    toJson: () => [...closed],
  };
}
