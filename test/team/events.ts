/** Events as a runner ships them. */
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";
import type { TeamStore, Writer } from "../../src/team/store/team-store.ts";
import { newId } from "../../src/kit/ids.ts";
import { created, message } from "../log/drafts.ts";

export function stamp(sessionId: string, seq: number, epoch: number, draft: EventDraft): SessionEvent {
  return { seq, epoch, id: `e-${seq}-${epoch}`, ts: 1_000 * seq, sessionId, ...draft };
}

/** Messages, the first one after the event that creates the session. */
export function shipped(sessionId: string, from: number, to: number, epoch = 1, text = "message"): SessionEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const seq = from + index;
    return stamp(sessionId, seq, epoch, seq === 1 ? created() : message(`${text} ${seq}`));
  });
}

export function createWriter(epoch = 1, runnerId = "laptop"): Writer {
  return { sessionId: newId(), runnerId, epoch };
}

export async function readAll(
  store: Pick<TeamStore, "read">,
  sessionId: string,
  cursor = { epoch: 0, seq: 0 },
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const batch of store.read(sessionId, cursor)) events.push(...batch);
  return events;
}

/** Its code, and the head that it names. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { accepted: await promise };
  } catch (error) {
    const { code, head } = error as { code: unknown; head?: unknown };
    return head === undefined ? { code } : { code, head };
  }
}
