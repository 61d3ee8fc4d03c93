/** The drafts that most hand-written logs begin with. */
import type { DraftOf, Settings } from "../../src/protocol/index.ts";

export const SETTINGS: Settings = {
  mode: "broadcast",
  auto_rounds: 3,
  timeout: 600,
  request_timeout: 300,
  order: [],
  limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: 5 },
  writable: true,
  preamble: "You sit at a table.",
};

export const CAPABILITIES: DraftOf<"member_joined">["capabilities"] = {
  steer: true,
  keepsContext: true,
  tools: true,
  requests: true,
  images: false,
  switchModel: true,
};

export function created(rest: Partial<DraftOf<"session_created">> = {}): DraftOf<"session_created"> {
  return { type: "session_created", format: 1, cwd: "/project", title: "A session", settings: SETTINGS, ...rest };
}

export function joined(member: string, rest: Partial<DraftOf<"member_joined">> = {}): DraftOf<"member_joined"> {
  return {
    type: "member_joined",
    member,
    spec: { name: member, kind: "embedded" },
    capabilities: CAPABILITIES,
    ...rest,
  };
}

export function said(
  messageId: string,
  to: string[],
  rest: Partial<DraftOf<"user_message">> = {},
): DraftOf<"user_message"> {
  return { type: "user_message", messageId, text: "What now?", to, toAll: false, attachments: [], ...rest };
}

export function started(
  turnId: string,
  member: string,
  rest: Partial<DraftOf<"turn_start">> = {},
): DraftOf<"turn_start"> {
  return { type: "turn_start", turnId, member, cause: "user", messageIds: [], depth: 0, ...rest };
}

export function ended(turnId: string, member: string, rest: Partial<DraftOf<"turn_end">> = {}): DraftOf<"turn_end"> {
  return { type: "turn_end", turnId, member, outcome: "completed", durationMs: 1000, ...rest };
}
