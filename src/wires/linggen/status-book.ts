/** The status each agent shows: a new one closes the one before, under its own id; the same one keeps its id. */
import { idleFrame, statusFrame, type AgentStatus, type ShownStatus, type Spoken } from "./frames.ts";
import type { UiDraft } from "./ui-message.ts";

export interface StatusBook {
  show(of: Spoken, status: Exclude<AgentStatus, "idle">, detail?: string): UiDraft[];
  idle(of: Spoken): UiDraft[];
  /** What is shown now, for somebody who has just come. */
  current(of: Spoken): UiDraft[];
}

export function createStatusBook(nextId: () => string): StatusBook {
  const shown = new Map<string, ShownStatus>();
  return {
    show(of, status, detail) {
      const before = shown.get(of.agent);
      const isSame = before?.status === status;
      if (isSame && before.detail === detail) return [];
      const now = { id: isSame ? before.id : nextId(), status, detail };
      shown.set(of.agent, now);
      const closing = before === undefined || isSame ? [] : [statusFrame(of, before, "done")];
      return [...closing, statusFrame(of, now, "doing")];
    },
    idle(of) {
      const before = shown.get(of.agent);
      shown.delete(of.agent);
      return [...(before === undefined ? [] : [statusFrame(of, before, "done")]), idleFrame(of)];
    },
    current(of) {
      const now = shown.get(of.agent);
      return now === undefined ? [] : [statusFrame(of, now, "doing")];
    },
  };
}
