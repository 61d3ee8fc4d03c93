/** A session of any length as batches of events: one user message, three answers, repeated. */
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";
import { opening, question, questionsFor, SESSION } from "./session-drafts.ts";

interface Shape {
  readonly messages: number;
  readonly deltasPerTurn: number;
  /** Number of turns of the last message that stay open. */
  readonly leaveOpen?: number;
}

const PIECE = "It is in the fourth file, ";

export function* longSession(shape: Shape): Generator<SessionEvent[], void, void> {
  let seq = 0;
  const stamp = (draft: EventDraft): SessionEvent => {
    seq++;
    const ts = 1_763_000_000_000 + seq;
    return {
      seq,
      epoch: 1,
      id: `01JN${String(seq).padStart(22, "0")}`,
      ts,
      sessionId: SESSION,
      ...draft,
    };
  };
  for (const batch of longSessionDrafts(shape)) yield batch.map(stamp);
}

export function* longSessionDrafts({
  messages,
  deltasPerTurn,
  leaveOpen = 0,
}: Shape): Generator<EventDraft[], void, void> {
  yield opening();
  const questions = questionsFor(messages);
  for (let number = 0; number < questions; number++) {
    yield streamedAnswers(number, deltasPerTurn, number === questions - 1 ? leaveOpen : 0);
  }
}

function streamedAnswers(number: number, deltasPerTurn: number, leaveOpen: number): EventDraft[] {
  const { messageId, asked, turns } = question(number);
  const drafts: EventDraft[] = [asked];
  for (const { member, begins } of turns) {
    drafts.push(begins, { type: "message_delivery", messageId, member, state: "answering" });
  }
  for (let delta = 0; delta < deltasPerTurn; delta++) {
    for (const { turnId, member } of turns) {
      drafts.push({ type: "text_delta", turnId, member, segmentId: `${turnId}-s`, text: PIECE });
    }
  }
  for (const { turnId, member } of turns.slice(leaveOpen)) {
    const usage = { inputTokens: 10, outputTokens: deltasPerTurn };
    drafts.push(
      { type: "text_done", turnId, member, segmentId: `${turnId}-s`, text: PIECE.repeat(deltasPerTurn) },
      { type: "turn_end", turnId, member, outcome: "completed", usage, durationMs: 1_000 },
      { type: "message_delivery", messageId, member, state: "answered" },
    );
  }
  return drafts;
}
