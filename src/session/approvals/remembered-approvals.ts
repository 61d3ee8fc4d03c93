/**
 * Session grants: a fold of requests, answers and revocations. A permanent grant is stored elsewhere and counts here
 * only while it is there, so that revoking it in another session is enough.
 */
import * as z from "zod";
import { coverKey, isLasting, type Approval, type Cover } from "../../agents/index.ts";
import {
  Cover as CoverJson,
  FOR_ALWAYS,
  FOR_EDITS,
  FOR_SESSION,
  type EventOf,
  type Json,
  type SessionEvent,
  type UiRequestBody,
} from "../../protocol/index.ts";
import { APPROVALS_REMEMBERED_MAX } from "../limits.ts";

const CoversJson = z.array(CoverJson).min(1);
const GivenJson = z.object({
  /** Member whose request was answered, and when. */
  member: z.string().optional(),
  ts: z.number(),
});
const AllowedJson = GivenJson.extend({
  cover: CoverJson,
  /** The request answered with "always", unless storing it is known to have failed. */
  always: z.string().optional(),
});

export const RememberedApprovalsJson = z.object({
  allowed: z.array(AllowedJson),
  asked: z.array(z.tuple([z.string(), CoversJson])),
  /** Set when all files here were allowed; and the open requests that offer it. */
  edits: GivenJson.optional(),
  askedEdits: z.array(z.string()).optional(),
});

type Given = z.infer<typeof GivenJson>;
export type Allowed = z.infer<typeof AllowedJson>;

export interface RememberedApprovals {
  apply(event: SessionEvent): void;
  /** Undefined when it was not granted. */
  find(cover: Cover): Allowed | undefined;
  /** Oldest first. */
  list(): readonly Allowed[];
  /** All files in the session's directory. */
  readonly edits: Given | undefined;
  toJson(): Json;
}

export function createRememberedApprovals(
  saved: z.infer<typeof RememberedApprovalsJson> = { allowed: [], asked: [] },
): RememberedApprovals {
  const allowed = new Map(saved.allowed.map((one) => [coverKey(one.cover), one]));
  const pending = new Map<string, readonly Cover[]>(saved.asked);
  const pendingEdits = new Set(saved.askedEdits);
  let edits = saved.edits;

  function accept({ requestId, error, result, member, ts }: EventOf<"ui_response">): void {
    if (error !== null || !isLasting(result)) return;
    const given = { ...(member === undefined ? {} : { member }), ts };
    if (result === FOR_EDITS) {
      if (pendingEdits.has(requestId)) edits ??= given;
      return;
    }
    const always = result === FOR_ALWAYS ? { always: requestId } : {};
    for (const cover of pending.get(requestId) ?? []) remember(allowed, { cover, ...given, ...always });
  }

  function close(requestId: string): void {
    pending.delete(requestId);
    pendingEdits.delete(requestId);
  }

  function revoke({ reach, cover }: EventOf<"permission_revoked">): void {
    if (reach === "edits") edits = undefined;
    if (cover === undefined) return;
    const key = coverKey(cover);
    const isAlways = allowed.get(key)?.always !== undefined;
    if (isAlways === (reach === "always")) allowed.delete(key);
  }

  function open({ requestId, request }: EventOf<"ui_request">): void {
    const covers = coversIn(request);
    if (covers === undefined) return;
    pending.set(requestId, covers);
    if (offers(request, FOR_EDITS)) pendingEdits.add(requestId);
  }

  return {
    apply(event) {
      if (event.type === "ui_request") open(event);
      else if (event.type === "ui_response") {
        accept(event);
        close(event.requestId);
      } else if (event.type === "ui_cancelled") close(event.requestId);
      else if (event.type === "permission_revoked") revoke(event);
      else if (event.type === "warning" && event.code === NOT_STORED) holdForSession(allowed, event.requestId);
    },
    find: (cover) => allowed.get(coverKey(cover)),
    list: () => [...allowed.values()],
    get edits() {
      return edits;
    },
    toJson() {
      const saved: z.infer<typeof RememberedApprovalsJson> = {
        allowed: [...allowed.values()],
        asked: [...pending].map(([requestId, covers]) => [requestId, [...covers]]),
        ...(edits === undefined ? {} : { edits }),
        ...(pendingEdits.size === 0 ? {} : { askedEdits: [...pendingEdits] }),
      };
      return saved as Json;
    },
  };
}

/** Code of the warning about it. */
export const NOT_STORED = "approval_not_kept";

/** Covers that Roundtable wrote into the request; undefined when it offered nothing lasting. */
export function coversIn(request: UiRequestBody): Cover[] | undefined {
  if (!offers(request, FOR_SESSION)) return undefined;
  return CoversJson.safeParse(request.opts?.["covers"]).data;
}

function offers(request: UiRequestBody, wanted: string): request is Approval {
  return request.method === "approval" && request.options.some(({ value }) => value === wanted);
}

/** Evicts the oldest: the user is merely asked once more. */
function remember(allowed: Map<string, Allowed>, one: Allowed): void {
  const key = coverKey(one.cover);
  const before = allowed.get(key);
  // A session grant does not end with the revocation of a permanent one.
  const isForSession = before !== undefined && before.always === undefined;
  allowed.delete(key);
  allowed.set(key, isForSession ? before : one);
  for (const oldest of allowed.keys()) {
    if (allowed.size <= APPROVALS_REMEMBERED_MAX) return;
    allowed.delete(oldest);
  }
}

/** A permanent grant that could not be stored holds for the session. */
function holdForSession(allowed: Map<string, Allowed>, requestId: string | undefined): void {
  if (requestId === undefined) return;
  for (const [key, { always, ...one }] of allowed) if (always === requestId) allowed.set(key, one);
}
