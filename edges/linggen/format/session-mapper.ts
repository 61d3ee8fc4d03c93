/**
 * One session's events as linggen's frames, in order. Keeps the transcript and what was shown; reads no clock and knows
 * no connection. `snapshot` is for late clients: the state that earlier frames would have left.
 */
import type { EventOf, SessionEvent } from "../../../src/protocol/index.ts";
import { dropFrozenPages, reduce, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";
import { agentsOfTurns, subagentId, type TurnAgent } from "./agent-ids.ts";
import { changeReportOf } from "./change-reports.ts";
import {
  askFrame,
  changeFrame,
  contextFrame,
  fallbackFrame,
  idlePromptFrame,
  messageFrame,
  outcomeFrame,
  resyncFrame,
  segmentFrame,
  spawnedFrame,
  subagentResultFrame,
  syncFrame,
  tokenFrame,
  turnCompleteFrame,
  type RunOutcome,
  type FrameSource,
} from "./frames.ts";
import { isIdlePrompt } from "./idle-prompt.ts";
import { historyEntries } from "./history-entries.ts";
import { createPlanFrames, type PlanFrames } from "./plan-frames.ts";
import { writtenText, type RejectedPlans } from "./plans.ts";
import { createQueueFrames, type QueueFrames } from "./queue-frames.ts";
import { questionsOf } from "./questions.ts";
import { askersOf, noticeText, fromAndTo } from "./saved-messages.ts";
import { createStatusTracker, type StatusTracker } from "./status-tracker.ts";
import { createToolFrames, type ToolFrames } from "./tool-frames.ts";
import type { UiDraft } from "./ui-message.ts";

/** Events after which clients should fetch lists and history again. */
const SYNCED: ReadonlySet<string> = new Set([
  "session_created",
  "session_renamed",
  "session_archived",
  "settings_changed",
  "member_joined",
  "member_left",
  "member_muted",
  "member_unmuted",
  "model_switched",
  "effort_switched",
  "session_clear",
  "ui_response",
  "ui_cancelled",
  "recovered",
]);

const OF_A_TURN: ReadonlySet<string> = new Set([
  "status",
  "retrying",
  "text_delta",
  "text_done",
  "thinking_start",
  "thinking_delta",
  "thinking_done",
  "tool_call_start",
  "tool_call_update",
  "tool_output_delta",
  "tool_result",
]);

export interface SessionMapperDeps {
  readonly nextStatusId: () => string;
  readonly rejectedPlans?: RejectedPlans;
}

export class SessionMapper {
  #transcript: Transcript;
  readonly #plans: PlanFrames;
  readonly #queue: QueueFrames;
  readonly #statuses: StatusTracker;
  readonly #tools: ToolFrames;
  readonly #agents: Map<string, TurnAgent>;
  /** Subagents that still stream after their result; clients no longer know them. */
  readonly #returned = new Set<string>();
  /** Sent entries of open turns, by turn. */
  readonly #sentKeys = new Map<string, Set<string>>();

  constructor(transcript: Transcript, { nextStatusId, rejectedPlans = new Set() }: SessionMapperDeps) {
    this.#transcript = transcript;
    this.#plans = createPlanFrames(rejectedPlans);
    this.#queue = createQueueFrames(transcript);
    this.#statuses = createStatusTracker(nextStatusId);
    this.#tools = createToolFrames(this.#statuses);
    const turns = Object.values(transcript.head.openTurns);
    this.#agents = agentsOfTurns(turns);
    for (const turn of turns) this.#restore(turn);
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  map(event: SessionEvent): UiDraft[] {
    const before = this.#transcript;
    const after = reduce(before, event);
    // Old pages are not needed here, and a long session has many.
    this.#transcript = after.frozen.length === before.frozen.length ? after : dropFrozenPages(after, 1);
    return this.#framesOf(event, before);
  }

  /** Running agents and their text so far, open questions, the queue and a pending plan. */
  snapshot(tsMs: number): UiDraft[] {
    const queue = this.#queue.current(this.#transcript, tsMs);
    const waits = this.#plans.isOffered(this.#transcript) ? this.plan(tsMs) : [];
    return [...this.running(tsMs), ...this.asks(tsMs), ...queue, ...waits];
  }

  /** Running agents, parents first, and their text so far. Idempotent. */
  running(tsMs: number): UiDraft[] {
    const turns = Object.values(this.#transcript.head.openTurns).toSorted((a, b) => a.depth - b.depth);
    return turns.flatMap((turn) => this.#openTurnFrames(turn, tsMs));
  }

  /** Oldest first. */
  asks(tsMs: number): UiDraft[] {
    return this.#transcript.head.requests.map(({ requestId, member, turnId, request }) =>
      askFrame(this.#sourceOf(tsMs, member, turnId), requestId, questionsOf(request)),
    );
  }

  /** Current state of the newest plan. */
  plan(tsMs: number): UiDraft[] {
    return this.#plans.current(this.#transcript, tsMs);
  }

  #restore(turn: TurnMessage): void {
    const of = this.#sourceOf(turn.ts, turn.member, turn.turnId);
    this.#sentKeys.set(turn.turnId, new Set(historyEntries(turn).map((entry) => entry.key)));
    if (turn.status !== undefined && turn.status.state !== "idle") {
      this.#statuses.show(of, turn.status.state, turn.status.detail);
    } else this.#statuses.show(of, turn.isThinking ? "thinking" : "working");
    for (const block of turn.blocks) {
      if (block.kind === "tool" && block.state === "pending") this.#tools.start(of, block);
    }
  }

  #openTurnFrames(turn: TurnMessage, tsMs: number): UiDraft[] {
    const of = this.#sourceOf(tsMs, turn.member, turn.turnId);
    const text = turn.blocks.findLast((block) => block.kind === "text" && !block.done);
    const currentText = text?.kind === "text" && text.text !== "" && of.parent === undefined ? text.text : undefined;
    const tools = turn.blocks.filter((block) => block.kind === "tool" && block.state === "pending");
    return [
      ...this.#sentFrames(turn, of),
      ...this.#statuses.current(of),
      ...(currentText === undefined
        ? []
        : [...resetText(of), tokenFrame(of, currentText, { thinking: false, done: false })]),
      ...tools.flatMap((block) => (block.kind === "tool" ? this.#tools.again(of, block) : [])),
    ];
  }

  /** Announces the subagent once: its activity is shown only where its parent is known. */
  #sentFrames(turn: TurnMessage, of: FrameSource): UiDraft[] {
    const { parentTurnId, turnId, depth } = turn;
    const { openTurns } = this.#transcript.head;
    const parent =
      depth > 0 && Object.hasOwn(openTurns, parentTurnId ?? "") ? openTurns[parentTurnId ?? ""] : undefined;
    const sent = parent?.blocks.find((block) => block.kind === "subagent" && block.subagentTurnId === turnId);
    if (parent === undefined || sent?.kind !== "subagent") return [];
    const sender = this.#sourceOf(of.tsMs, parent.member, parent.turnId);
    return [subagentResultFrame(sender, of.agent), spawnedFrame(sender, of.agent, sent.task)];
  }

  #sourceOf(tsMs: number, member: string | undefined, turnId?: string): FrameSource {
    const known = turnId === undefined ? undefined : this.#agents.get(turnId);
    return { tsMs, agent: known?.agent ?? member ?? "system", parent: known?.parent };
  }

  #framesOf(event: SessionEvent, before: Transcript): UiDraft[] {
    const of = this.#sourceOf(event.ts, event.member, event.turnId);
    if (SYNCED.has(event.type)) return [syncFrame(event.ts)];
    // Text of a turn that has ended, or whose start was not seen, would never be closed.
    if (OF_A_TURN.has(event.type) && !this.#isOpen(event.turnId)) return [];
    switch (event.type) {
      case "user_message":
        return this.#userMessage(event);
      case "queue_updated":
        return this.#queue.updated(this.#transcript, event);
      case "message_delivery":
        return this.#queue.delivered(this.#transcript, event.ts);
      case "turn_start":
        return this.#turnStart(event);
      case "turn_end":
        return this.#turnEnd(event, of, before);
      case "status":
        return this.#status(event, of);
      case "retrying":
        return this.#statuses.show(of, "model_loading", `Retrying (${event.attempt} of ${event.of}): ${event.reason}`);
      case "text_delta":
        return [...this.#statuses.writing(of), ...tokens(of, event.text, { thinking: false, done: false })];
      case "thinking_start":
        return this.#statuses.show(of, "thinking");
      case "thinking_delta":
        return tokens(of, event.text, { thinking: true, done: false });
      case "thinking_done":
        return tokens(of, "", { thinking: true, done: true });
      case "text_done":
      case "agent_message":
      case "finalize_task":
        return this.#newEntryFrames(event.turnId, of);
      case "tool_call_start":
        return [
          ...this.#newEntryFrames(event.turnId, of),
          ...this.#tools.start(of, { ...event, toolKind: event.kind }),
        ];
      case "tool_call_update":
        return this.#tools.update(of, event);
      case "tool_output_delta":
        return this.#tools.output(of, event);
      case "tool_result":
        return this.#tools.end(of, event);
      case "ui_request":
        return [askFrame(of, event.requestId, questionsOf(event.request))];
      default:
        return this.#otherFrames(event, of);
    }
  }

  #otherFrames(event: SessionEvent, of: FrameSource): UiDraft[] {
    switch (event.type) {
      case "subagent_spawned": {
        const agent = subagentId(event.name, event.subagentTurnId);
        this.#agents.set(event.subagentTurnId, { agent, parent: of.agent });
        return [spawnedFrame(of, agent, event.task)];
      }
      case "subagent_result": {
        const agent = this.#agents.get(event.subagentTurnId)?.agent ?? subagentId("", event.subagentTurnId);
        // A subagent that streams after its result keeps its id: its text is not the member's.
        if (this.#isOpen(event.subagentTurnId)) this.#returned.add(event.subagentTurnId);
        else this.#agents.delete(event.subagentTurnId);
        return [subagentResultFrame(of, agent)];
      }
      case "plan_update":
      case "plan_decision":
        return this.#plans.changed(this.#transcript, event);
      case "change_report":
        return [changeFrame(of, changeReportOf(event.files, event.truncatedCount))];
      case "model_fallback":
        return [fallbackFrame(of, event)];
      case "context_update":
        return [this.#context(of, { ...event, stage: "context_update", compressed: false })];
      case "compaction":
        return [this.#context(of, { used: event.after, measured: false, stage: "compaction", compressed: true })];
      case "damage":
        return [resyncFrame(event.ts)];
      default:
        return this.#notice(event, of);
    }
  }

  #notice(event: SessionEvent, { tsMs }: FrameSource): UiDraft[] {
    // Inside a turn it is a block of that turn, without its own message.
    const notice = event.turnId === undefined ? noticeText(event) : undefined;
    return notice === undefined ? [] : [messageFrame({ tsMs, ...notice })];
  }

  #userMessage(event: EventOf<"user_message">): UiDraft[] {
    const { messageId, to, ts } = event;
    const { cwd } = this.#transcript.head;
    const prompts = isIdlePrompt(event.origin)
      ? to.map((agent) => idlePromptFrame({ tsMs: ts, agent, projectRoot: cwd }))
      : [];
    if (this.#queue.wasShown(messageId)) return prompts;
    return [...prompts, messageFrame({ tsMs: ts, ...fromAndTo(event), text: writtenText(event) })];
  }

  #turnStart(event: EventOf<"turn_start">): UiDraft[] {
    const { turnId, member, depth, parentTurnId, model, ts } = event;
    if (!this.#agents.has(turnId)) {
      const parent = parentTurnId === undefined ? undefined : this.#agents.get(parentTurnId)?.agent;
      const agent = depth === 0 ? member : subagentId("", turnId);
      this.#agents.set(turnId, { agent, parent: depth === 0 ? undefined : (parent ?? member) });
    }
    this.#sentKeys.set(turnId, new Set());
    const of = this.#sourceOf(ts, member, turnId);
    const loading = this.#statuses.show(
      of,
      "model_loading",
      model === undefined ? undefined : `Loading model: ${model}`,
    );
    // Gives clients the run id for cancelling.
    return depth === 0 ? [...loading, syncFrame(ts)] : loading;
  }

  #isOpen(turnId: string | undefined): boolean {
    return turnId !== undefined && Object.hasOwn(this.#transcript.head.openTurns, turnId);
  }

  #status({ state, detail }: EventOf<"status">, of: FrameSource): UiDraft[] {
    if (state === "idle") return [];
    // A call has its own activity text, which clients parse; a second one would count as a second call.
    if (state === "calling_tool") return this.#statuses.loaded(of);
    return this.#statuses.show(of, state, detail);
  }

  #turnEnd(event: EventOf<"turn_end">, of: FrameSource, before: Transcript): UiDraft[] {
    const { turnId, member, durationMs, ts } = event;
    const open = Object.hasOwn(before.head.openTurns, turnId) ? before.head.openTurns[turnId] : undefined;
    if (open === undefined) return [];
    const tools = open.blocks.flatMap((block) => (block.kind === "tool" ? [block.toolCallId] : []));
    const loaded = this.#statuses.loaded(of);
    const cut = tools.flatMap((toolCallId) => this.#tools.cut(of, toolCallId));
    const ended: TurnMessage = { ...open, end: endOf(event) };
    const entryFrames = this.#entryFrames(ended, of);
    this.#sentKeys.delete(turnId);
    if (of.parent === undefined || this.#returned.delete(turnId)) this.#agents.delete(turnId);
    const facts = { durationMs, tokens: this.#transcript.head.members[member]?.context?.used };
    const outcome = of.parent === undefined ? this.#outcomeFrames(ended, { ...of, tsMs: ts }) : [];
    return [...loaded, ...cut, ...entryFrames, ...outcome, turnCompleteFrame(of, facts), ...this.#statuses.idle(of)];
  }

  /** An outcome clears every prompt in the terminal client: not sent while one is pending, and a plan only after it. */
  #outcomeFrames(turn: TurnMessage, of: FrameSource): UiDraft[] {
    const plan = this.#plans.pendingOf(this.#transcript, turn.member);
    const hasRequests = this.#transcript.head.requests.length > 0;
    if (hasRequests || (plan === undefined && this.#plans.isOffered(this.#transcript))) return [syncFrame(of.tsMs)];
    if (plan === undefined) return [outcomeFrame(of, outcomeOf(turn))];
    return [outcomeFrame(of, { type: "plan", ...plan }), ...this.plan(of.tsMs)];
  }

  #newEntryFrames(turnId: string | undefined, of: FrameSource): UiDraft[] {
    const turn = this.#isOpen(turnId) ? this.#transcript.head.openTurns[turnId ?? ""] : undefined;
    return turn === undefined ? [] : this.#entryFrames(turn, of);
  }

  /** Each entry of a turn is sent once, with the text of the history. */
  #entryFrames(turn: TurnMessage, of: FrameSource): UiDraft[] {
    const sentKeys = this.#sentKeys.get(turn.turnId) ?? new Set<string>();
    this.#sentKeys.set(turn.turnId, sentKeys);
    const fresh = historyEntries(turn).filter((entry) => !entry.isCard && !sentKeys.has(entry.key));
    const asker = turn.agentExchangeId === undefined ? undefined : this.#askerOf(turn.agentExchangeId);
    const frames: UiDraft[] = [];
    for (const { key, text, isSpeech, to = asker ?? "user" } of fresh) {
      sentKeys.add(key);
      // Only one of the two, since the terminal client shows both.
      if (of.parent === undefined) frames.push(messageFrame({ tsMs: of.tsMs, from: of.agent, to, text }));
      else if (isSpeech && !this.#returned.has(turn.turnId)) frames.push(segmentFrame(of, text));
    }
    return frames;
  }

  #askerOf(agentExchangeId: string): string | undefined {
    const { head, live } = this.#transcript;
    const ended = live.flatMap((page) => page.messages.filter((message) => message.kind === "turn"));
    return askersOf([...ended, ...Object.values(head.openTurns)]).get(agentExchangeId);
  }

  #context(
    of: FrameSource,
    facts: { used: number; window?: number; measured: boolean; stage: string; compressed: boolean },
  ): UiDraft {
    const { used, window, measured, stage, compressed } = facts;
    const { messageCount } = this.#transcript.head;
    const summaryCount = compressed ? 1 : 0;
    return contextFrame(of, { stage, messageCount, tokens: used, window, measured, compressed, summaryCount });
  }
}

function outcomeOf({ blocks }: TurnMessage): RunOutcome {
  const finished = blocks.findLast((block) => block.kind === "finished");
  if (finished?.kind !== "finished") return { type: "none" };
  return {
    type: "task",
    title: finished.summary,
    user_stories: [],
    acceptance_criteria: [],
    mermaid_wireframe: null,
  };
}

/** Subagent text is not part of the conversation, and the terminal client ignores whose token it is. */
function tokens(of: FrameSource, text: string, how: { thinking: boolean; done: boolean }): UiDraft[] {
  return of.parent === undefined ? [tokenFrame(of, text, how)] : [];
}

/** The text restarts: the end of a thought makes clients replace their text with the next token. */
function resetText(of: FrameSource): UiDraft[] {
  return [tokenFrame(of, "", { thinking: true, done: true })];
}

function endOf({ seq, ts, outcome, reason, error, durationMs }: EventOf<"turn_end">): NonNullable<TurnMessage["end"]> {
  return {
    seq,
    ts,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    durationMs,
  };
}
