/**
 * The status of each agent: a new one closes the previous under its own id; the same one keeps its id. Each call has
 * its own status from start to end, because the terminal client keys its steps by these ids.
 */
import { idleFrame, statusFrame, type AgentStatus, type ShownStatus, type FrameSource } from "./frames.ts";
import type { UiDraft } from "./ui-message.ts";

export interface StatusTracker {
  show(of: FrameSource, status: Exclude<AgentStatus, "idle">, detail?: string): UiDraft[];
  /** The model has started: it is no longer loading. */
  loaded(of: FrameSource): UiDraft[];
  /** The agent is writing its answer. */
  writing(of: FrameSource): UiDraft[];
  call(of: FrameSource, toolCallId: string, detail: string): UiDraft[];
  /** The call's subject differs from that at its start. */
  recalled(of: FrameSource, toolCallId: string, detail: string): UiDraft[];
  called(of: FrameSource, toolCallId: string, detail: string): UiDraft[];
  idle(of: FrameSource): UiDraft[];
  /** Current state, for a new client. */
  current(of: FrameSource): UiDraft[];
}

interface ShownCall extends ShownStatus {
  readonly agent: string;
}

export function createStatusTracker(nextId: () => string): StatusTracker {
  const shown = new Map<string, ShownStatus>();
  const calls = new Map<string, ShownCall>();

  function close(of: FrameSource): UiDraft[] {
    const before = shown.get(of.agent);
    shown.delete(of.agent);
    return before === undefined ? [] : [statusFrame(of, before, "done")];
  }

  function show(of: FrameSource, status: Exclude<AgentStatus, "idle">, detail?: string): UiDraft[] {
    const before = shown.get(of.agent);
    const isSame = before?.status === status;
    if (isSame && before.detail === detail) return [];
    const closing = isSame ? [] : close(of);
    const now = { id: isSame ? before.id : nextId(), status, detail };
    shown.set(of.agent, now);
    return [...closing, statusFrame(of, now, "doing")];
  }

  function recalled(of: FrameSource, toolCallId: string, detail: string): UiDraft[] {
    const call = calls.get(toolCallId);
    if (call === undefined) return [];
    const now = { ...call, detail };
    calls.set(toolCallId, now);
    // For a subagent every "doing" counts as another call.
    return of.parent === undefined ? [statusFrame(of, now, "doing")] : [];
  }

  const loaded = (of: FrameSource) => (shown.get(of.agent)?.status === "model_loading" ? show(of, "thinking") : []);

  return {
    show,
    loaded,
    // Called for every chunk of the answer; a reported activity stays.
    writing: (of) => (shown.get(of.agent)?.status === "working" ? [] : [...loaded(of), ...show(of, "working")]),
    call(of, toolCallId, detail) {
      const closing = [...loaded(of), ...close(of)];
      const now = { id: nextId(), status: "calling_tool" as const, detail, agent: of.agent };
      calls.set(toolCallId, now);
      return [...closing, statusFrame(of, now, "doing")];
    },
    recalled,
    called(of, toolCallId, detail) {
      const frames = recalled(of, toolCallId, detail);
      const call = calls.get(toolCallId);
      calls.delete(toolCallId);
      return call === undefined ? [] : [...frames, statusFrame(of, call, "done")];
    },
    idle: (of) => [...close(of), idleFrame(of)],
    current(of) {
      const now = shown.get(of.agent);
      const open = [...calls.values()].filter((call) => call.agent === of.agent);
      return [...(now === undefined ? [] : [now]), ...open].map((one) => statusFrame(of, one, "doing"));
    },
  };
}
