/**
 * One session's events as linggen's frames, in order. It keeps the session's transcript and what was shown so far; it
 * reads no clock and knows no connection. `snapshot` is for whoever comes late: what the frames before would have left.
 */
import type { EventOf, SessionEvent } from "../../protocol/index.ts";
import { dropFrozenPages, reduce, type Transcript, type TurnMessage } from "../../transcript/index.ts";
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
  planFrame,
  queueFrame,
  resyncFrame,
  segmentFrame,
  spawnedFrame,
  subagentResultFrame,
  syncFrame,
  tokenFrame,
  turnCompleteFrame,
  type RunOutcome,
  type Spoken,
} from "./frames.ts";
import { isIdlePrompt } from "./idle-prompt.ts";
import { piecesOf } from "./pieces.ts";
import { pendingPlan, toLinggenPlan } from "./plans.ts";
import { addresseeOf, EVERYBODY, queuedChats } from "./queue-items.ts";
import { questionsOf } from "./questions.ts";
import { askersOf, noticeText, userParts } from "./saved-messages.ts";
import { createStatusBook, type StatusBook } from "./status-book.ts";
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
  "tool_output_delta",
  "tool_result",
]);

export class SessionMapper {
  #transcript: Transcript;
  readonly #statuses: StatusBook;
  readonly #tools: ToolFrames;
  readonly #agents: Map<string, TurnAgent>;
  /** Pieces of open turns that were told, by turn. */
  readonly #told = new Map<string, Set<string>>();
  /** Messages that were shown when they came into the queue. */
  readonly #shownQueued: Set<string>;
  /** Under whose name the queue was shown last. */
  #queueAgent: string | undefined;

  constructor(transcript: Transcript, { nextStatusId }: { nextStatusId: () => string }) {
    this.#transcript = transcript;
    this.#statuses = createStatusBook(nextStatusId);
    this.#tools = createToolFrames(this.#statuses);
    const { openTurns, queue } = transcript.head;
    const turns = Object.values(openTurns);
    this.#agents = agentsOfTurns(turns);
    this.#shownQueued = new Set(queue.map((item) => item.messageId));
    for (const turn of turns) this.#restore(turn);
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  take(event: SessionEvent): UiDraft[] {
    const before = this.#transcript;
    const after = reduce(before, event);
    // Old pages are of no use here, and a long session has many.
    this.#transcript = after.frozen.length === before.frozen.length ? after : dropFrozenPages(after, 1);
    return this.#framesOf(event, before);
  }

  /** Running agents, what they said so far, open questions, the queue and a plan that waits. */
  snapshot(tsMs: number): UiDraft[] {
    const { head } = this.#transcript;
    const turns = Object.values(head.openTurns).flatMap((turn) => this.#openTurnFrames(turn, tsMs));
    const asks = head.requests.map(({ requestId, member, turnId, request }) =>
      askFrame(this.#spoken(tsMs, member, turnId), requestId, questionsOf(request)),
    );
    const queue = head.queue.length === 0 ? [] : [this.#queueFrame(tsMs, this.#queueKey())];
    const plan = pendingPlan(this.#transcript);
    const waits =
      plan === undefined ? [] : [planFrame(this.#spoken(tsMs, plan.member), toLinggenPlan(plan, { isPending: true }))];
    return [...turns, ...asks, ...queue, ...waits];
  }

  #restore(turn: TurnMessage): void {
    const of = this.#spoken(turn.ts, turn.member, turn.turnId);
    this.#told.set(turn.turnId, new Set(piecesOf(turn).map((piece) => piece.key)));
    if (turn.status !== undefined && turn.status.state !== "idle") {
      this.#statuses.show(of, turn.status.state, turn.status.detail);
    } else this.#statuses.show(of, turn.isThinking ? "thinking" : "working");
    for (const block of turn.blocks) {
      if (block.kind === "tool" && block.state === "pending") this.#tools.start(of, block);
    }
  }

  #openTurnFrames(turn: TurnMessage, tsMs: number): UiDraft[] {
    const of = this.#spoken(tsMs, turn.member, turn.turnId);
    const text = turn.blocks.findLast((block) => block.kind === "text" && !block.done);
    const said = text?.kind === "text" && text.text !== "" && of.parent === null ? text.text : undefined;
    const tools = turn.blocks.filter((block) => block.kind === "tool" && block.state === "pending");
    return [
      ...this.#statuses.current(of),
      ...(said === undefined ? [] : [tokenFrame(of, said, { thinking: false, done: false })]),
      ...tools.flatMap((block) => (block.kind === "tool" ? this.#tools.again(of, block) : [])),
    ];
  }

  #spoken(tsMs: number, member: string | undefined, turnId?: string): Spoken {
    const known = turnId === undefined ? undefined : this.#agents.get(turnId);
    return { tsMs, agent: known?.agent ?? member ?? "system", parent: known?.parent ?? null };
  }

  #framesOf(event: SessionEvent, before: Transcript): UiDraft[] {
    const of = this.#spoken(event.ts, event.member, event.turnId);
    if (SYNCED.has(event.type)) return [syncFrame(event.ts)];
    // Words of a turn that is over, or that nobody saw begin, would never be closed.
    if (OF_A_TURN.has(event.type) && !this.#isOpen(event.turnId)) return [];
    switch (event.type) {
      case "user_message":
        return this.#userMessage(event);
      case "queue_updated":
        return this.#queueUpdated(event);
      case "turn_start":
        return this.#turnStart(event);
      case "turn_end":
        return this.#turnEnd(event, of, before);
      case "status":
        return this.#status(event, of);
      case "retrying":
        return this.#statuses.show(of, "model_loading", `Retrying (${event.attempt} of ${event.of}): ${event.reason}`);
      case "text_delta":
        return [tokenFrame(of, event.text, { thinking: false, done: false })];
      case "thinking_start":
        return this.#statuses.show(of, "thinking");
      case "thinking_delta":
        return [tokenFrame(of, event.text, { thinking: true, done: false })];
      case "thinking_done":
        return [tokenFrame(of, "", { thinking: true, done: true })];
      case "text_done":
      case "agent_message":
      case "finalize_task":
        return this.#newPieces(event.turnId, of);
      case "tool_call_start":
        return [...this.#newPieces(event.turnId, of), ...this.#tools.start(of, { ...event, toolKind: event.kind })];
      case "tool_output_delta":
        return this.#tools.output(of, event);
      case "tool_result":
        return this.#tools.end(of, event);
      case "ui_request":
        return [askFrame(of, event.requestId, questionsOf(event.request))];
      default:
        return this.#around(event, of);
    }
  }

  #around(event: SessionEvent, of: Spoken): UiDraft[] {
    switch (event.type) {
      case "subagent_spawned": {
        const agent = subagentId(event.name, event.subagentTurnId);
        this.#agents.set(event.subagentTurnId, { agent, parent: of.agent });
        return [spawnedFrame(of, agent, event.task)];
      }
      case "subagent_result": {
        const agent = this.#agents.get(event.subagentTurnId)?.agent ?? subagentId("", event.subagentTurnId);
        this.#agents.delete(event.subagentTurnId);
        return [subagentResultFrame(of, agent)];
      }
      case "plan_update":
      case "plan_decision":
        return this.#plan(event, of);
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

  #notice(event: SessionEvent, { tsMs }: Spoken): UiDraft[] {
    // Inside a turn it is a block of that turn, which has no message of its own.
    const notice = event.turnId === undefined ? noticeText(event) : undefined;
    return notice === undefined ? [] : [messageFrame({ tsMs, ...notice, to: "user" })];
  }

  #userMessage(event: EventOf<"user_message">): UiDraft[] {
    const { messageId, text, to, ts } = event;
    const { cwd } = this.#transcript.head;
    const prompts = isIdlePrompt(event.origin)
      ? to.map((agent) => idlePromptFrame({ tsMs: ts, agent, projectRoot: cwd }))
      : [];
    if (this.#shownQueued.delete(messageId)) return prompts;
    return [...prompts, messageFrame({ tsMs: ts, ...userParts(event), text })];
  }

  /** A message is shown when it is written, also while it waits. */
  #queueUpdated({ items, ts }: EventOf<"queue_updated">): UiDraft[] {
    const fresh = items.filter((item) => !this.#shownQueued.has(item.messageId));
    for (const item of fresh) this.#shownQueued.add(item.messageId);
    const messages = fresh.map(({ to, text, origin }) => {
      const toAll = to.length === 1 && to[0] === EVERYBODY;
      return messageFrame({ tsMs: ts, ...userParts({ to, toAll, origin }), text });
    });
    const before = this.#queueAgent;
    const agent = this.#queueKey();
    // Clients keep a queue by its agent: one that is shown under another name now must not stay.
    const emptied = before === undefined || before === agent ? [] : [this.#queueFrame(ts, before, [])];
    return [...emptied, this.#queueFrame(ts, agent), ...messages];
  }

  #queueKey(): string {
    const [first] = this.#transcript.head.queue;
    this.#queueAgent = first === undefined ? (this.#queueAgent ?? EVERYBODY) : addresseeOf(first.to);
    return this.#queueAgent;
  }

  #queueFrame(tsMs: number, agent: string, queue = this.#transcript.head.queue): UiDraft {
    const { sessionId, cwd } = this.#transcript.head;
    return queueFrame({ tsMs, projectRoot: cwd, sessionId, agent, items: queuedChats(sessionId, queue) });
  }

  #turnStart(event: EventOf<"turn_start">): UiDraft[] {
    const { turnId, member, depth, parentTurnId, model, ts } = event;
    if (!this.#agents.has(turnId)) {
      const parent = parentTurnId === undefined ? undefined : this.#agents.get(parentTurnId)?.agent;
      const agent = depth === 0 ? member : subagentId("", turnId);
      this.#agents.set(turnId, { agent, parent: depth === 0 ? null : (parent ?? member) });
    }
    this.#told.set(turnId, new Set());
    const of = this.#spoken(ts, member, turnId);
    const loading = this.#statuses.show(
      of,
      "model_loading",
      model === undefined ? undefined : `Loading model: ${model}`,
    );
    // So that clients learn the run's id, by which it can be cancelled.
    return depth === 0 ? [...loading, syncFrame(ts)] : loading;
  }

  #isOpen(turnId: string | undefined): boolean {
    return turnId !== undefined && Object.hasOwn(this.#transcript.head.openTurns, turnId);
  }

  #status({ state, detail }: EventOf<"status">, of: Spoken): UiDraft[] {
    // A call tells of itself, in the words that clients read back.
    if (state === "idle" || (state === "calling_tool" && this.#tools.isAnyOpen(of.agent))) return [];
    return this.#statuses.show(of, state, detail);
  }

  #turnEnd(event: EventOf<"turn_end">, of: Spoken, before: Transcript): UiDraft[] {
    const { turnId, member, durationMs, ts } = event;
    const open = Object.hasOwn(before.head.openTurns, turnId) ? before.head.openTurns[turnId] : undefined;
    if (open === undefined) return [];
    const tools = open.blocks.flatMap((block) => (block.kind === "tool" ? [block.toolCallId] : []));
    const cut = tools.flatMap((toolCallId) => this.#tools.end(of, { toolCallId, ok: false }));
    const ended: TurnMessage = { ...open, end: endOf(event) };
    const pieces = this.#piecesOf(ended, of);
    this.#told.delete(turnId);
    if (of.parent === null) this.#agents.delete(turnId);
    const context = this.#transcript.head.members[member]?.context?.used;
    const facts = { durationMs: Math.round(durationMs), tokens: context === undefined ? null : Math.round(context) };
    const outcome = of.parent === null ? [outcomeFrame({ ...of, tsMs: ts }, this.#outcomeOf(ended))] : [];
    return [...cut, ...pieces, ...outcome, turnCompleteFrame(of, facts), ...this.#statuses.idle(of)];
  }

  #outcomeOf(turn: TurnMessage): RunOutcome {
    const plan = pendingPlan(this.#transcript);
    if (plan !== undefined && plan.member === turn.member) {
      return { type: "plan", ...toLinggenPlan(plan, { isPending: true }) };
    }
    const finished = turn.blocks.findLast((block) => block.kind === "finished");
    if (finished?.kind !== "finished") return { type: "none" };
    return {
      type: "task",
      title: finished.summary,
      user_stories: [],
      acceptance_criteria: [],
      mermaid_wireframe: null,
    };
  }

  #newPieces(turnId: string | undefined, of: Spoken): UiDraft[] {
    const turn = this.#isOpen(turnId) ? this.#transcript.head.openTurns[turnId ?? ""] : undefined;
    return turn === undefined ? [] : this.#piecesOf(turn, of);
  }

  /** Each piece of a turn is told once, in the words that the history has. */
  #piecesOf(turn: TurnMessage, of: Spoken): UiDraft[] {
    const told = this.#told.get(turn.turnId) ?? new Set<string>();
    this.#told.set(turn.turnId, told);
    const fresh = piecesOf(turn).filter((piece) => !piece.isCard && !told.has(piece.key));
    const asker = turn.agentExchangeId === undefined ? undefined : this.#askerOf(turn.agentExchangeId);
    const frames: UiDraft[] = [];
    for (const { key, text, isSpeech, to = asker ?? "user" } of fresh) {
      told.add(key);
      if (isSpeech) frames.push(segmentFrame(of, text));
      if (of.parent === null) frames.push(messageFrame({ tsMs: of.tsMs, from: of.agent, to, text }));
    }
    return frames;
  }

  #askerOf(agentExchangeId: string): string | undefined {
    const { head, live } = this.#transcript;
    const ended = live.flatMap((page) => page.messages.filter((message) => message.kind === "turn"));
    return askersOf([...ended, ...Object.values(head.openTurns)]).get(agentExchangeId);
  }

  #plan(event: EventOf<"plan_update" | "plan_decision">, of: Spoken): UiDraft[] {
    const { plan } = this.#transcript.head;
    if (plan === undefined) return [syncFrame(event.ts)];
    const isPending = pendingPlan(this.#transcript) !== undefined;
    const isApproved = event.type === "plan_decision" && event.decision !== "reject";
    const author = { ...of, agent: plan.member ?? of.agent };
    return [planFrame(author, toLinggenPlan(plan, { isPending, isApproved }))];
  }

  #context(
    of: Spoken,
    facts: { used: number; window?: number; measured: boolean; stage: string; compressed: boolean },
  ): UiDraft {
    const { used, window = null, measured, stage, compressed } = facts;
    const { messageCount } = this.#transcript.head;
    const summaryCount = compressed ? 1 : 0;
    return contextFrame(of, { stage, messageCount, tokens: used, window, measured, compressed, summaryCount });
  }
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
