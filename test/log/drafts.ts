/** Drafts for tests of the log: some of class sync, some of class stream. */
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";

export function message(text: string): EventDraft {
  return {
    type: "user_message",
    messageId: `m-${text.slice(0, 20)}`,
    text,
    to: ["scout"],
    toAll: true,
    attachments: [],
  };
}

export function delta(text: string): EventDraft {
  return { type: "text_delta", turnId: "t", member: "scout", segmentId: "s", text };
}

export function created(): EventDraft {
  return {
    type: "session_created",
    format: 1,
    cwd: "/project",
    title: "a session",
    settings: {
      mode: "broadcast",
      auto_rounds: 3,
      timeout: 600,
      request_timeout: 300,
      order: [],
      limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: 5 },
      writable: true,
      preamble: "Be brief.",
    },
  };
}

export function textOf(event: SessionEvent): string {
  return "text" in event && typeof event.text === "string" ? event.text : event.type;
}

export async function readAll(
  log: { read(after: number): AsyncIterable<SessionEvent[]> },
  after = 0,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const batch of log.read(after)) events.push(...batch);
  return events;
}
