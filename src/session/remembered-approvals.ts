/** What the user has allowed for the session: a fold of the requests that offered it and the answers that took it. */
import * as z from "zod";
import { coverKey, FOR_ALWAYS, FOR_SESSION, type Cover } from "../agents/index.ts";
import type { Json, SessionEvent } from "../protocol/index.ts";
import { APPROVALS_REMEMBERED_MAX } from "./limits.ts";

const CoverJson = z.object({ tool: z.string(), kind: z.enum(["command", "path", "call"]), text: z.string() });
const CoversJson = z.array(CoverJson).min(1);

export const RememberedApprovalsJson = z.object({
  allowed: z.array(z.string()),
  asked: z.array(z.tuple([z.string(), CoversJson])),
});

export interface RememberedApprovals {
  apply(event: SessionEvent): void;
  has(cover: Cover): boolean;
  toJson(): Json;
}

export function createRememberedApprovals(
  saved: z.infer<typeof RememberedApprovalsJson> = { allowed: [], asked: [] },
): RememberedApprovals {
  const allowed = new Set(saved.allowed);
  const asked = new Map<string, readonly Cover[]>(saved.asked);
  return {
    apply(event) {
      if (event.type === "ui_request") {
        const covers = coversIn(event.request);
        if (covers !== undefined) asked.set(event.requestId, covers);
      } else if (event.type === "ui_response") {
        const isLasting = event.error === null && (event.result === FOR_SESSION || event.result === FOR_ALWAYS);
        for (const cover of (isLasting && asked.get(event.requestId)) || []) remember(allowed, coverKey(cover));
        asked.delete(event.requestId);
      } else if (event.type === "ui_cancelled") asked.delete(event.requestId);
    },
    has: (cover) => allowed.has(coverKey(cover)),
    toJson: () => ({
      allowed: [...allowed],
      asked: [...asked].map(([requestId, covers]) => [requestId, covers.map((cover) => ({ ...cover }))]),
    }),
  };
}

/** The table itself wrote them into the request; undefined when it offered nothing that lasts. */
export function coversIn(request: Extract<SessionEvent, { type: "ui_request" }>["request"]): Cover[] | undefined {
  if (request.method !== "approval" || !request.options.some(({ value }) => value === FOR_SESSION)) return undefined;
  return CoversJson.safeParse(request.opts?.["covers"]).data;
}

/** The oldest go first: whoever is asked once more loses nothing but a moment. */
function remember(allowed: Set<string>, key: string): void {
  allowed.delete(key);
  allowed.add(key);
  for (const oldest of allowed) {
    if (allowed.size <= APPROVALS_REMEMBERED_MAX) return;
    allowed.delete(oldest);
  }
}
