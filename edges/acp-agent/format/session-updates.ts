/**
 * One session as Agent Client Protocol updates, derived from the transcript; each call emits what is new.
 * Promises: members never interrupt each other's passages; a tool call is started before it is updated.
 */
import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import {
  loadedMessages,
  membersInOrder,
  messageAt,
  turnById,
  type Head,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
  type UserMessage,
  addressedText,
} from "../../../src/transcript/index.ts";
import { chunk, TurnRenderer, type RenderContext } from "./turn-renderer.ts";

/** History sent to an editor that connects later. */
const HISTORY_MESSAGES_MAX = 512;

interface UpdatesOptions {
  /** The client whose messages the editor shows itself. */
  readonly clientId: string;
}

export class SessionUpdates {
  readonly #options: UpdatesOptions;
  readonly #context: RenderContext;
  readonly #renderers = new Map<string, TurnRenderer>();
  readonly #plans = new Map<string, readonly PlanEntry[]>();
  #transcript: Transcript;
  #updates: SessionUpdate[] = [];
  #notices: string[] = [];
  #nextPosition: number;
  #lastUsage = "";

  constructor(transcript: Transcript, options: UpdatesOptions) {
    this.#options = options;
    this.#transcript = transcript;
    this.#nextPosition = transcript.head.messageCount;
    this.#context = {
      holder: undefined,
      last: { text: undefined, thinking: undefined },
      cwd: transcript.head.cwd,
      emit: (update) => void this.#updates.push(update),
      nameOf: (turn) => nameOf(this.#transcript.head, turn),
    };
    for (const turn of Object.values(transcript.head.openTurns)) this.#openTurn(turn);
  }

  /** Replays the history, oldest first. */
  recall(): SessionUpdate[] {
    const { head } = this.#transcript;
    const shown = [...loadedMessages(this.#transcript)].filter((message) => message.seq > head.clearedSeq);
    for (const message of shown.slice(-HISTORY_MESSAGES_MAX)) this.#recall(message);
    if (head.plan !== undefined) this.#emitPlan(head.plan.member ?? "", head.plan.items);
    this.#emitUsage();
    return this.#flush();
  }

  show(transcript: Transcript, events: readonly SessionEvent[]): SessionUpdate[] {
    this.#transcript = transcript;
    for (; this.#nextPosition < transcript.head.messageCount; this.#nextPosition += 1) {
      const message = messageAt(transcript, this.#nextPosition);
      if (message?.kind === "turn") this.#openTurn(message);
      else if (message?.kind === "user") {
        this.#advance();
        if (message.clientId === this.#options.clientId) this.began();
        else this.#emitUserMessage(message);
      }
    }
    for (const event of events) this.#note(event);
    this.#advance();
    this.#emitNotices();
    this.#emitUsage();
    return this.#flush();
  }

  /** What ended turns could not say while another one speaks, which continues after them. */
  release(): SessionUpdate[] {
    const turns = [...this.#renderers].map(([turnId, renderer]) => ({
      renderer,
      turn: turnById(this.#transcript, turnId),
    }));
    if (turns.every(({ turn }) => turn?.end === undefined)) return [];
    this.#context.holder = undefined;
    for (const { renderer, turn } of turns) if (turn?.end !== undefined) renderer.advance(turn);
    this.#advance();
    this.#emitNotices();
    return this.#flush();
  }

  /** After a user message the next passage starts again with its speaker's name. */
  began(): void {
    this.#context.last.text = undefined;
    this.#context.last.thinking = undefined;
  }

  #note(event: SessionEvent): void {
    switch (event.type) {
      case "turn_start": {
        const turn = this.#renderers.has(event.turnId) ? undefined : turnById(this.#transcript, event.turnId);
        if (turn !== undefined && turn.replaced.length > 0) this.#openTurn(turn);
        return;
      }
      case "plan_update": {
        this.#emitPlan(event.member ?? "", event.items);
        return;
      }
      case "minutes":
        // A member's are the text of its turn.
        if (event.by === undefined) this.#notices.push(event.text);
        return;
      case "ui_notify":
      case "warning":
      case "error":
      case "council_paused":
        this.#notices.push(`> ${event.message.replaceAll("\n", "\n> ")}`);
        return;
      case "session_renamed":
        this.#updates.push({ sessionUpdate: "session_info_update", title: event.title });
        return;
      default:
        return;
    }
  }

  #openTurn(turn: TurnMessage): void {
    this.#renderers.set(turn.turnId, new TurnRenderer(this.#context, turn));
  }

  #advance(): void {
    let isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (const [turnId, renderer] of this.#renderers) {
        const turn = turnById(this.#transcript, turnId);
        if (turn !== undefined && renderer.advance(turn)) isChanged = true;
        if (turn !== undefined && !renderer.isFinished) continue;
        // A turn that was dropped from memory has ended; release the floor.
        this.#renderers.delete(turnId);
        if (this.#context.holder === turnId) this.#context.holder = undefined;
      }
    }
  }

  #recall(message: ShownMessage): void {
    if (message.kind === "user") this.#emitUserMessage(message);
    if (message.kind === "turn" && message.end !== undefined) new TurnRenderer(this.#context, message).advance(message);
    if (message.kind === "notice" && message.event.type === "minutes") this.#note(message.event as SessionEvent);
    this.#emitNotices();
  }

  #emitUserMessage(message: UserMessage): void {
    this.began();
    this.#updates.push(chunk("user_message_chunk", addressedText(message), message.messageId));
  }

  /** Messages of the session itself wait until no passage is open. */
  #emitNotices(): void {
    const { holder, last } = this.#context;
    if (holder !== undefined) return;
    for (const notice of this.#notices.splice(0)) {
      this.#updates.push({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: `${last.text === undefined ? "" : "\n\n"}${notice}\n\n` },
      });
      last.text = "table";
    }
  }

  /** The protocol has one plan: all members' plans merged, prefixed by name when there are several. */
  #emitPlan(member: string, items: readonly { text: string; status: PlanEntry["status"] }[]): void {
    const isAlone = membersInOrder(this.#transcript.head).length <= 1;
    const entries = items.map(({ text, status }): PlanEntry => {
      return { content: isAlone || member === "" ? text : `${member}: ${text}`, priority: "medium", status };
    });
    this.#plans.set(member, entries);
    this.#updates.push({ sessionUpdate: "plan", entries: [...this.#plans.values()].flat() });
  }

  /** The fullest context of any member, and the session's cost. */
  #emitUsage(): void {
    const { head } = this.#transcript;
    const [fullest] = membersInOrder(head)
      .flatMap(({ context }) => (context === undefined ? [] : [context]))
      .toSorted((a, b) => b.used / b.window - a.used / a.window);
    if (fullest === undefined) return;
    const { costUsd } = head.totals;
    const update: SessionUpdate = {
      sessionUpdate: "usage_update",
      used: Math.round(fullest.used),
      size: Math.round(fullest.window),
      ...(costUsd === null || costUsd === 0 ? {} : { cost: { amount: costUsd, currency: "USD" } }),
    };
    const lastUsage = JSON.stringify(update);
    if (lastUsage === this.#lastUsage) return;
    this.#lastUsage = lastUsage;
    this.#updates.push(update);
  }

  #flush(): SessionUpdate[] {
    const updates = this.#updates;
    this.#updates = [];
    return updates;
  }
}

function nameOf(head: Head, { member, depth }: TurnMessage): string | undefined {
  if (depth > 0) return `${member} (subagent)`;
  return membersInOrder(head).length <= 1 ? undefined : member;
}
