/** The first events of every measured session, and its questions. */
import { NO_CAPABILITIES, type EventDraft, type Settings } from "../../src/protocol/index.ts";

const NAMES = ["ada", "brook", "cole", "dora", "emil", "finn"];
export const MEMBERS = NAMES.slice(0, Number(process.env["ROUNDTABLE_BENCH_MEMBERS"] ?? 3));
export const SESSION = "01JN0000000000000000000001";
/** Limits that no measurement reaches. */
export const SETTINGS: Settings = {
  mode: "broadcast",
  auto_rounds: 0,
  timeout: 3_600,
  request_timeout: 3_600,
  order: [...MEMBERS],
  limits: { turns: 100_000, minutes: 1_000, tokens: 1e9, usd: 1_000 },
  writable: false,
  preamble: "Advise.",
};

export function opening(): EventDraft[] {
  return [
    { type: "session_created", format: 1, cwd: "/project", title: "A long session", settings: SETTINGS },
    ...MEMBERS.map((member): EventDraft => ({
      type: "member_joined",
      member,
      spec: { name: member, kind: "embedded" },
      capabilities: NO_CAPABILITIES,
    })),
  ];
}

/** Number of questions for a session of this many messages: every member answers each. */
export function questionsFor(messages: number): number {
  return Math.ceil(messages / (MEMBERS.length + 1));
}

export interface Question {
  readonly messageId: string;
  readonly asked: EventDraft;
  /** One turn per member, with its first event. */
  readonly turns: readonly { readonly turnId: string; readonly member: string; readonly begins: EventDraft }[];
}

export function question(number: number): Question {
  const messageId = `m${number}`;
  const text = `Question ${number}: where is it?`;
  const facts = { cause: "user" as const, messageIds: [messageId], rootMessageId: messageId, round: 1, depth: 0 };
  return {
    messageId,
    asked: { type: "user_message", messageId, text, to: [...MEMBERS], toAll: true, attachments: [] },
    turns: MEMBERS.map((member) => {
      const turnId = `t${number}-${member}`;
      return { turnId, member, begins: { type: "turn_start", turnId, member, ...facts } };
    }),
  };
}
