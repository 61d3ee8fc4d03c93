/** Builders of all frames from plain values: id pattern, texts and data in one place. */
import type { QuestionCard } from "./questions.ts";
import type { LinggenPlan } from "./plans.ts";
import type { QueuedChat } from "./queue-items.ts";
import type { UiDraft } from "./ui-message.ts";

export type AgentStatus = "idle" | "model_loading" | "thinking" | "calling_tool" | "working";

interface FrameSource {
  readonly tsMs: number;
  readonly agent: string;
  /** The parent agent of a subagent; undefined for a member. */
  readonly parent: string | undefined;
}

export function messageFrame(message: { tsMs: number; from: string; to: string; text: string }): UiDraft {
  const { tsMs, from, to, text } = message;
  return {
    id: (seq) => `msg-${seq}`,
    tsMs,
    kind: "message",
    text,
    agent_id: from,
    data: { from, to, role: from === "user" ? "user" : "assistant" },
  };
}

const STATUS_TEXT: Readonly<Record<AgentStatus, string>> = {
  model_loading: "Model loading...",
  thinking: "Thinking...",
  calling_tool: "Calling tool...",
  // Not "Working...": the page treats that as a tool and appends the answer to it.
  working: "Running",
  idle: "Idle",
};

export interface ShownStatus {
  readonly id: string;
  readonly status: Exclude<AgentStatus, "idle">;
  readonly detail: string | undefined;
}

export function statusFrame(of: FrameSource, { id, status, detail }: ShownStatus, phase: "doing" | "done"): UiDraft {
  const text = detail?.trim() ?? "";
  return {
    id,
    tsMs: of.tsMs,
    kind: "activity",
    phase,
    text: text === "" ? STATUS_TEXT[status] : text,
    agent_id: of.agent,
    data: { status, parent_id: of.parent ?? null },
  };
}

export function idleFrame(of: FrameSource): UiDraft {
  const data = { status: "idle", parent_id: of.parent ?? null };
  return { id: (seq) => `act-${seq}`, tsMs: of.tsMs, kind: "activity", phase: "done", agent_id: of.agent, data };
}

export function idlePromptFrame(of: { tsMs: number; agent: string; projectRoot: string }): UiDraft {
  return {
    id: (seq) => `idle-trigger-${of.agent}-${seq}`,
    tsMs: of.tsMs,
    kind: "activity",
    phase: "doing",
    text: "Idle prompt triggered",
    agent_id: of.agent,
    project_root: of.projectRoot,
    data: { status: "idle_prompt_triggered" },
  };
}

export interface QueueFacts {
  readonly tsMs: number;
  readonly projectRoot: string;
  readonly sessionId: string;
  readonly agent: string;
  /** Number of queued messages. */
  readonly count: number;
  readonly items: readonly QueuedChat[];
}

export function queueFrame({ tsMs, projectRoot, sessionId, agent, count, items }: QueueFacts): UiDraft {
  return {
    id: `queue-${projectRoot}|${sessionId}|${agent}`,
    tsMs,
    kind: "queue",
    text: `Queued ${count} message(s)`,
    agent_id: agent,
    session_id: sessionId,
    project_root: projectRoot,
    data: { items },
  };
}

export function syncFrame(tsMs: number): UiDraft {
  return { id: (seq) => `run-sync-${seq}`, tsMs, kind: "run", phase: "sync", text: "State updated" };
}

export function resyncFrame(tsMs: number): UiDraft {
  const data = { reason: "broadcast_lag", lagged_count: null };
  return { id: (seq) => `run-resync-${seq}`, tsMs, kind: "run", phase: "resync", text: "Resync required", data };
}

export type RunOutcome =
  | { readonly type: "none" }
  | ({ readonly type: "plan" } & LinggenPlan)
  | {
      readonly type: "task";
      readonly title: string;
      readonly user_stories: readonly string[];
      readonly acceptance_criteria: readonly string[];
      readonly mermaid_wireframe: string | null;
    };

export function outcomeFrame({ tsMs, agent }: FrameSource, outcome: RunOutcome): UiDraft {
  const id = (seq: number) => `run-outcome-${agent}-${seq}`;
  return { id, tsMs, kind: "run", phase: "outcome", text: "Run outcome", agent_id: agent, data: { outcome } };
}

export interface ContextFacts {
  readonly stage: string;
  readonly messageCount: number;
  readonly tokens: number;
  readonly window: number | undefined;
  readonly measured: boolean;
  readonly compressed: boolean;
  readonly summaryCount: number;
}

/** Rough ratio, for agents that count tokens and not characters. */
const CHARS_PER_TOKEN = 4;

export function contextFrame({ tsMs, agent }: FrameSource, facts: ContextFacts): UiDraft {
  const tokens = Math.round(facts.tokens);
  return {
    id: `run-context-${agent}`,
    tsMs,
    kind: "run",
    phase: "context_usage",
    agent_id: agent,
    data: {
      agent_id: agent,
      stage: facts.stage,
      message_count: facts.messageCount,
      char_count: tokens * CHARS_PER_TOKEN,
      estimated_tokens: tokens,
      token_limit: facts.window === undefined ? null : Math.round(facts.window),
      actual_prompt_tokens: facts.measured ? tokens : null,
      actual_completion_tokens: null,
      compressed: facts.compressed,
      summary_count: facts.summaryCount,
    },
  };
}

export function spawnedFrame({ tsMs, agent }: FrameSource, subagent: string, task: string): UiDraft {
  return {
    id: (seq) => `run-subagent-spawned-${subagent}-${seq}`,
    tsMs,
    kind: "run",
    phase: "subagent_spawned",
    text: `Spawned subagent ${subagent}`,
    agent_id: agent,
    data: { subagent_id: subagent, task },
  };
}

export function subagentResultFrame({ tsMs, agent }: FrameSource, subagent: string): UiDraft {
  return {
    id: (seq) => `run-subagent-result-${subagent}-${seq}`,
    tsMs,
    kind: "run",
    phase: "subagent_result",
    text: `Subagent ${subagent} returned`,
    agent_id: agent,
    data: { subagent_id: subagent, outcome: { type: "none" } },
  };
}

export function planFrame({ tsMs, agent }: FrameSource, plan: LinggenPlan): UiDraft {
  const id = (seq: number) => `run-plan-${agent}-${seq}`;
  return { id, tsMs, kind: "run", phase: "plan_update", text: "Plan updated", agent_id: agent, data: { plan } };
}

export function changeFrame({ tsMs, agent }: FrameSource, report: object): UiDraft {
  const id = (seq: number) => `run-change-report-${agent}-${seq}`;
  return { id, tsMs, kind: "run", phase: "change_report", text: "Change report", agent_id: agent, data: report };
}

export function tokenFrame(
  { tsMs, agent }: FrameSource,
  text: string,
  how: { thinking: boolean; done: boolean },
): UiDraft {
  return {
    id: (seq) => `token-${agent}-${seq}`,
    tsMs,
    kind: "token",
    ...(how.done ? { phase: "done" } : {}),
    text,
    agent_id: agent,
    ...(how.thinking ? { data: { thinking: true } } : {}),
  };
}

export function segmentFrame({ tsMs, agent, parent }: FrameSource, text: string): UiDraft {
  const data = { parent_id: parent ?? null };
  return { id: (seq) => `text-seg-${agent}-${seq}`, tsMs, kind: "text_segment", text, agent_id: agent, data };
}

export function askFrame(
  { tsMs, agent }: FrameSource,
  questionId: string,
  questions: readonly QuestionCard[],
): UiDraft {
  const data = { question_id: questionId, questions };
  return { id: `ask-user-${questionId}`, tsMs, kind: "ask_user", agent_id: agent, data };
}

export function fallbackFrame(of: FrameSource, models: { preferred: string; actual: string; reason: string }): UiDraft {
  const { preferred, actual, reason } = models;
  return {
    id: (seq) => `model-fallback-${of.agent}-${seq}`,
    tsMs: of.tsMs,
    kind: "model_fallback",
    text: `Using ${actual} model (${preferred} unavailable: ${reason})`,
    agent_id: of.agent,
    data: { preferred_model: preferred, actual_model: actual, reason },
  };
}

export function progressFrame(of: FrameSource, tool: string, line: string, stream: "stdout" | "stderr"): UiDraft {
  return {
    id: (seq) => `tool-progress-${of.agent}-${seq}`,
    tsMs: of.tsMs,
    kind: "tool_progress",
    text: line,
    agent_id: of.agent,
    data: { tool, line, stream },
  };
}

export function blockStartFrame(of: FrameSource, blockId: string, tool: { name: string; args: string }): UiDraft {
  return {
    id: `cb-start-${blockId}`,
    tsMs: of.tsMs,
    kind: "content_block",
    phase: "start",
    agent_id: of.agent,
    data: { block_id: blockId, block_type: "tool_use", tool: tool.name, args: tool.args, parent_id: of.parent ?? null },
  };
}

export function blockUpdateFrame(
  of: FrameSource,
  blockId: string,
  result: { summary: string; isError: boolean },
): UiDraft {
  const { summary, isError } = result;
  return {
    id: (seq) => `cb-update-${blockId}-${seq}`,
    tsMs: of.tsMs,
    kind: "content_block",
    phase: "update",
    text: summary,
    agent_id: of.agent,
    data: {
      block_id: blockId,
      status: isError ? "failed" : "done",
      summary,
      is_error: isError,
      parent_id: of.parent ?? null,
    },
  };
}

export function turnCompleteFrame(of: FrameSource, facts: { durationMs: number; tokens: number | undefined }): UiDraft {
  return {
    id: (seq) => `turn-complete-${of.agent}-${seq}`,
    tsMs: of.tsMs,
    kind: "turn_complete",
    agent_id: of.agent,
    data: {
      duration_ms: Math.round(facts.durationMs),
      context_tokens: facts.tokens === undefined ? null : Math.round(facts.tokens),
      parent_id: of.parent ?? null,
    },
  };
}

export type { FrameSource };
