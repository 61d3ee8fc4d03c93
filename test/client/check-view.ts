/** What a client was handed, as it came, and the judgement of it by the log on disk. */
import { isDeepStrictEqual } from "node:util";
import { openLogReader } from "../../src/log/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { empty, fold, type Transcript } from "../../src/transcript/index.ts";

export class View {
  gaps = 0;
  repeats = 0;
  lastSeq = 0;
  readonly sessionId: string;
  readonly events: SessionEvent[] = [];
  readonly resyncs: string[] = [];
  /** Of messages that are facts, said or queued. */
  readonly clientMessageIds = new Set<string>();

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  apply(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const { seq } = event;
      for (const { clientMessageId } of messagesIn(event)) this.clientMessageIds.add(clientMessageId);
      if (seq > this.lastSeq + 1) this.gaps += 1;
      if (seq <= this.lastSeq) this.repeats += 1;
      this.lastSeq = Math.max(this.lastSeq, seq);
      this.events.push(event);
    }
  }
}

export interface Judgement {
  readonly gaps: number;
  readonly repeats: number;
  readonly resyncs: readonly string[];
  readonly isFoldOfLog: boolean;
}

export const FAULTLESS: Judgement = { gaps: 0, repeats: 0, resyncs: [], isFoldOfLog: true };

export function judgeView(view: View, log: readonly SessionEvent[]): Judgement {
  const { gaps, repeats, resyncs, sessionId, lastSeq, events } = view;
  // The fold refuses events with a gap between them.
  const isFoldOfLog =
    gaps === 0 && lastSeq > 0 && isDeepStrictEqual(fold(empty(sessionId), events), foldOfLog(log, sessionId, lastSeq));
  return { gaps, repeats, resyncs, isFoldOfLog };
}

/** By log and last seq: most views of a session end at the same event. */
const folds = new WeakMap<readonly SessionEvent[], Map<number, Transcript>>();

function foldOfLog(log: readonly SessionEvent[], sessionId: string, lastSeq: number): Transcript {
  const known = folds.get(log) ?? new Map<number, Transcript>();
  folds.set(log, known);
  const found =
    known.get(lastSeq) ??
    fold(
      empty(sessionId),
      log.filter((event) => event.seq <= lastSeq),
    );
  known.set(lastSeq, found);
  return found;
}

/** The messages of the log that go back to each `clientMessageId`: those said, and those that were ever queued. */
export function judgeSends(sent: readonly string[], log: readonly SessionEvent[]): string[] {
  const said = new Map<string, number>();
  const messageIds = new Map<string, Set<string>>();
  for (const event of log) {
    for (const { clientMessageId, messageId } of messagesIn(event)) {
      messageIds.set(clientMessageId, (messageIds.get(clientMessageId) ?? new Set()).add(messageId));
      if (event.type === "user_message") said.set(clientMessageId, (said.get(clientMessageId) ?? 0) + 1);
    }
  }
  const wrong = sent.flatMap((id) => {
    const [found, times] = [messageIds.get(id)?.size ?? 0, said.get(id) ?? 0];
    return found === 1 && times <= 1 ? [] : [`${id}: ${found} messages, said ${times} times`];
  });
  const strangers = [...messageIds.keys()].filter((id) => !sent.includes(id)).map((id) => `${id}: nobody sent it`);
  return [...wrong, ...strangers];
}

function messagesIn(event: SessionEvent): { clientMessageId: string; messageId: string }[] {
  const found = event.type === "queue_updated" ? event.items : event.type === "user_message" ? [event] : [];
  return found.flatMap(({ clientMessageId, messageId }) =>
    clientMessageId === undefined ? [] : [{ clientMessageId, messageId }],
  );
}

export async function readLog(dataDir: string, sessionId: string): Promise<SessionEvent[]> {
  const reader = await openLogReader({ dataDir, sessionId });
  const events: SessionEvent[] = [];
  for await (const batch of reader.read(0)) events.push(...batch);
  await reader.close();
  return events;
}
