/**
 * First pass over a session, before any line is written: speakers, messages steered into running turns,
 * and compactions that are still in effect.
 */
import type { EventOf, SessionEvent } from "../../../src/protocol/index.ts";

/** Limit of messages waiting for their turn, and of turns waiting for a compaction. */
const REMEMBERED_MAX = 2_000;

type SteeredMessage = Pick<EventOf<"user_message">, "text" | "textBlob" | "to" | "toAll" | "attachments">;

export interface Checkpoint {
  readonly id: string;
  readonly ts: number;
  readonly member: string;
  readonly summary: string;
  /** Everything from here on is kept, with the messages that the first kept turn answers. */
  readonly firstKeptSeq: number;
  /** Older turns that were kept because they are pinned. */
  readonly pinned: readonly string[];
}

export interface SproutSurvey {
  readonly speakers: ReadonlySet<string>;
  /** Steered messages, by messageId. */
  readonly steered: ReadonlyMap<string, SteeredMessage>;
  /** Ordered by the position from which everything is kept. */
  readonly checkpoints: readonly Checkpoint[];
}

export interface SproutSurveyor {
  apply(event: SessionEvent): void;
  end(): SproutSurvey;
}

export function createSproutSurveyor(): SproutSurveyor {
  const speakers = new Set<string>();
  const messages = new Map<string, SteeredMessage>();
  const steered = new Map<string, SteeredMessage>();
  const checkpoints = new Map<string, Checkpoint>();
  const messageSeqs = new Map<string, number>();
  /** The seq of a turn's start, and of the first message it answers. */
  const turnSeqs = new Map<number, number>();

  return {
    apply(event) {
      if (event.type === "turn_start") {
        if (event.depth === 0) speakers.add(event.member);
        const answered = event.messageIds.flatMap((id) => messageSeqs.get(id) ?? []);
        remember(turnSeqs, event.seq, Math.min(event.seq, ...answered));
      } else if (event.type === "user_message") {
        const { text, textBlob, to, toAll, attachments } = event;
        remember(messages, event.messageId, { text, textBlob, to, toAll, attachments });
        remember(messageSeqs, event.messageId, event.seq);
      } else if (event.type === "steering") {
        const message = messages.get(event.messageId);
        if (message !== undefined) steered.set(event.messageId, message);
      } else if (event.type === "compaction" && event.native !== true && event.summary.trim() !== "") {
        const { id, ts, member, pinned = [] } = event;
        const firstKeptSeq = turnSeqs.get(event.firstKeptSeq) ?? event.firstKeptSeq;
        const summary = event.told ?? event.summary;
        const whole = pinned.flatMap((one) => (one.whole ? [one.turnId] : []));
        checkpoints.set(id, { id, ts, member, summary, firstKeptSeq, pinned: whole });
      } else if (event.type === "compaction_undone") checkpoints.delete(event.compactionId);
    },
    end: () => ({
      speakers,
      steered,
      checkpoints: [...checkpoints.values()].toSorted((a, b) => a.firstKeptSeq - b.firstKeptSeq || a.ts - b.ts),
    }),
  };
}

/** Evicts the oldest. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}
