/**
 * Members that the user lets work unguarded in this read-only session: a fold of questions and answers; and how recent
 * requests were closed.
 */

import * as z from "zod";
import { isConsent, type Json, type SessionEvent, type UiRequestBody } from "../../protocol/index.ts";
import { REQUESTS_REMEMBERED_MAX } from "../limits.ts";

export const ConsentsJson = z.object({
  agreed: z.array(z.string()),
  /** Open questions: request id and member. */
  asked: z.array(z.tuple([z.string(), z.string()])),
});

export interface Consents {
  apply(event: SessionEvent): void;
  has(member: string): boolean;
  toJson(): Json;
}

export function createConsents(saved: z.infer<typeof ConsentsJson> = { agreed: [], asked: [] }): Consents {
  const agreed = new Set(saved.agreed);
  const pending = new Map(saved.asked);
  return {
    apply(event) {
      if (event.type === "ui_request") {
        if (isConsent(event.request) && event.member !== undefined) pending.set(event.requestId, event.member);
      } else if (event.type === "ui_response") {
        const member = pending.get(event.requestId);
        if (member !== undefined && event.error === null && event.result === true) agreed.add(member);
        pending.delete(event.requestId);
      } else if (event.type === "ui_cancelled") pending.delete(event.requestId);
      else if (event.type === "member_left") agreed.delete(event.member);
    },
    has: (member) => agreed.has(member),
    toJson: () => ({ agreed: [...agreed], asked: [...pending] }),
  };
}

/** Only Roundtable's own question asks for consent, never what an agent or its model labels so. */
export function withConsent(request: UiRequestBody, consent: "unguarded" | undefined): UiRequestBody {
  const { consent: _claimed, ...opts } = request.opts ?? {};
  if (consent !== undefined) return { ...request, opts: { ...opts, consent } };
  return request.opts?.["consent"] === undefined ? request : { ...request, opts };
}

/** How recent requests were closed, so that a second answer learns who was first. A fold of the log. */
export const RequestMemoryJson = z.array(z.tuple([z.string(), z.string()]));

export interface RequestMemory {
  apply(event: SessionEvent): void;
  /** "answered by …", "expired" …; undefined for an open or unknown request. */
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
