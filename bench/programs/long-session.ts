/** A session of any length, as batches of events numbered from 1: one user message, three members answering, again and again. */
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";

const MEMBERS = ["ada", "brook", "cole"] as const;
const SESSION = "01JN0000000000000000000001";
const capabilities = {
  steer: false,
  keepsContext: false,
  tools: false,
  requests: false,
  images: false,
  switchModel: false,
};
const settings = {
  mode: "broadcast" as const,
  auto_rounds: 0,
  timeout: 600,
  request_timeout: 300,
  order: [...MEMBERS],
  limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: 5 },
  writable: false,
  preamble: "Advise.",
};

interface Shape {
  readonly messages: number;
  readonly deltasPerTurn: number;
  /** This many turns of the last message stay open. */
  readonly leaveOpen?: number;
}

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
  yield [
    { type: "session_created", format: 1, cwd: "/project", title: "A long session", settings },
    ...MEMBERS.map((member): EventDraft => ({
      type: "member_joined",
      member,
      spec: { name: member, kind: "embedded" },
      capabilities,
    })),
  ];
  const questions = Math.ceil(messages / (MEMBERS.length + 1));
  for (let question = 0; question < questions; question++) {
    yield oneQuestion(question, deltasPerTurn, question === questions - 1 ? leaveOpen : 0);
  }
}

function oneQuestion(question: number, deltasPerTurn: number, leaveOpen: number): EventDraft[] {
  const messageId = `m${question}`;
  const drafts: EventDraft[] = [
    {
      type: "user_message",
      messageId,
      text: `Question ${question}: where is it?`,
      to: [...MEMBERS],
      toAll: true,
      attachments: [],
    },
  ];
  const turns = MEMBERS.map((member) => ({ member, turnId: `t${question}-${member}` }));
  const start = { cause: "user" as const, messageIds: [messageId], rootMessageId: messageId, round: 1, depth: 0 };
  for (const turn of turns) {
    drafts.push({ type: "turn_start", ...turn, ...start });
    drafts.push({ type: "message_delivery", messageId, member: turn.member, state: "answering" });
  }
  const text = "It is in the fourth file, ";
  for (let delta = 0; delta < deltasPerTurn; delta++) {
    for (const turn of turns) drafts.push({ type: "text_delta", ...turn, segmentId: `${turn.turnId}-s`, text });
  }
  for (const turn of turns.slice(leaveOpen)) {
    drafts.push({ type: "text_done", ...turn, segmentId: `${turn.turnId}-s`, text: text.repeat(deltasPerTurn) });
    const usage = { inputTokens: 10, outputTokens: deltasPerTurn };
    drafts.push({ type: "turn_end", ...turn, outcome: "completed", usage, durationMs: 1000 });
    drafts.push({ type: "message_delivery", messageId, member: turn.member, state: "answered" });
  }
  return drafts;
}
