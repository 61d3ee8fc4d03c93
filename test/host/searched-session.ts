/** Sessions for tests of search: made of words that are easy and hard to find, and written through the log room. */
import { openFileLog } from "../../src/log/index.ts";
import type { EventDraft } from "../../src/protocol/index.ts";
import { SETTINGS } from "./scripted-agent.ts";

export interface WrittenSession {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly drafts: readonly EventDraft[];
  /** When it was written; each event is a second later than the one before. */
  readonly ts?: number;
}

export function sessionNumber(number: number): string {
  return `01JN${String(number).padStart(22, "0")}`;
}

/** Goes on with the session when there is one. */
export async function writeSession({
  dataDir,
  sessionId,
  drafts,
  ts = 1_700_000_000_000,
}: WrittenSession): Promise<void> {
  let now = ts;
  const clock = {
    now: () => now,
    monotonic: () => performance.now(),
    after(ms: number, callback: () => void) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const log = await openFileLog({ dataDir, sessionId, clock });
  for (const draft of drafts) {
    now += 1000;
    log.append([draft]);
  }
  await log.flush();
  await log.close();
}

export function created(title: string, cwd = "/project"): EventDraft {
  return { type: "session_created", format: 1, cwd, title, settings: SETTINGS };
}

export function asked(text: string, messageId = "m1"): EventDraft {
  return { type: "user_message", messageId, text, to: ["ada"], toAll: true, attachments: [] };
}

export function turnBegins(turnId: string, member = "ada"): EventDraft {
  return { type: "turn_start", turnId, member, cause: "user", messageIds: ["m1"], depth: 0 };
}

export function said(turnId: string, text: string, member = "ada"): EventDraft {
  return { type: "text_done", turnId, member, segmentId: `${turnId}-s`, text };
}

export function turnEnds(turnId: string, member = "ada"): EventDraft {
  return { type: "turn_end", turnId, member, outcome: "completed", durationMs: 1 };
}
