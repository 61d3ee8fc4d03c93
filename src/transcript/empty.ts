/** The transcript of a log without events. */
import type { Spent, Totals, Transcript } from "./model.ts";

export const NO_TOTALS: Totals = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
};

export const NOTHING_SPENT: Spent = { turns: 0, activeMs: 0, tokens: 0, usd: 0, open: 0 };

export function empty(sessionId: string): Transcript {
  return {
    head: {
      sessionId,
      seq: 0,
      epoch: 0,
      title: "",
      cwd: "",
      createdTs: 0,
      updatedTs: 0,
      archived: false,
      members: {},
      queue: [],
      openTurns: {},
      deliveries: {},
      requests: [],
      council: { state: "idle" },
      spent: { message: NOTHING_SPENT, session: NOTHING_SPENT },
      pinned: [],
      ui: { status: {}, widgets: {} },
      totals: NO_TOTALS,
      messageCount: 0,
      userCount: 0,
      turnCount: 0,
      clearedSeq: 0,
    },
    frozen: [],
    live: [],
  };
}
