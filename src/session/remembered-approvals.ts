/** What the user has allowed for the session: a fold of the requests that offered it and the answers that took it. */
import * as z from "zod";
import { coverKey, FOR_EDITS, FOR_SESSION, isLasting, type Approval, type Cover } from "../agents/index.ts";
import type { EventOf, Json, SessionEvent, UiRequestBody } from "../protocol/index.ts";
import { APPROVALS_REMEMBERED_MAX } from "./limits.ts";

const CoverJson = z.object({ tool: z.string(), kind: z.enum(["command", "path", "call"]), text: z.string() });
const CoversJson = z.array(CoverJson).min(1);

export const RememberedApprovalsJson = z.object({
  allowed: z.array(z.string()),
  asked: z.array(z.tuple([z.string(), CoversJson])),
  /** Whether every file here was allowed, and the open requests that offer it. */
  edits: z.boolean().optional(),
  askedEdits: z.array(z.string()).optional(),
});

export interface RememberedApprovals {
  apply(event: SessionEvent): void;
  has(cover: Cover): boolean;
  /** Changes of every file in the session's directory. */
  readonly hasEdits: boolean;
  toJson(): Json;
}

export function createRememberedApprovals(
  saved: z.infer<typeof RememberedApprovalsJson> = { allowed: [], asked: [] },
): RememberedApprovals {
  const allowed = new Set(saved.allowed);
  const asked = new Map<string, readonly Cover[]>(saved.asked);
  const askedEdits = new Set(saved.askedEdits);
  let hasEdits = saved.edits === true;

  function take({ requestId, error, result }: EventOf<"ui_response">): void {
    if (error !== null) return;
    if (result === FOR_EDITS) hasEdits ||= askedEdits.has(requestId);
    else if (isLasting(result)) for (const cover of asked.get(requestId) ?? []) remember(allowed, coverKey(cover));
  }

  function forget(requestId: string): void {
    asked.delete(requestId);
    askedEdits.delete(requestId);
  }

  return {
    apply(event) {
      if (event.type === "ui_request") {
        const covers = coversIn(event.request);
        if (covers !== undefined) asked.set(event.requestId, covers);
        if (covers !== undefined && offers(event.request, FOR_EDITS)) askedEdits.add(event.requestId);
      } else if (event.type === "ui_response") {
        take(event);
        forget(event.requestId);
      } else if (event.type === "ui_cancelled") forget(event.requestId);
    },
    has: (cover) => allowed.has(coverKey(cover)),
    get hasEdits() {
      return hasEdits;
    },
    toJson: () => ({
      allowed: [...allowed],
      asked: [...asked].map(([requestId, covers]) => [requestId, covers.map((cover) => ({ ...cover }))]),
      ...(hasEdits ? { edits: true } : {}),
      ...(askedEdits.size === 0 ? {} : { askedEdits: [...askedEdits] }),
    }),
  };
}

/** The table itself wrote them into the request; undefined when it offered nothing that lasts. */
export function coversIn(request: UiRequestBody): Cover[] | undefined {
  if (!offers(request, FOR_SESSION)) return undefined;
  return CoversJson.safeParse(request.opts?.["covers"]).data;
}

function offers(request: UiRequestBody, wanted: string): request is Approval {
  return request.method === "approval" && request.options.some(({ value }) => value === wanted);
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
