/**
 * A session's chat events for a client that loads it: same events, ids and order as live, without chunks of texts
 * that follow in full. After an event that the client has, only the rest.
 */
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty } from "../../../src/transcript/index.ts";
import { chatEventId } from "./chat-event-id.ts";
import type { ChatEvent } from "./chat-event.ts";
import { isBusyEvent } from "./map-busy.ts";
import { mapEvent, openWire, type WireState } from "./map-event.ts";

/** Older ones are omitted, and a first event says so. */
const CHAT_EVENTS_MAX = 50_000;

export interface Replay {
  /** Every event of the log, in order. */
  add(events: readonly SessionEvent[]): void;
  /** Seq of the last event included. */
  readonly seq: number;
  /** Events after `after`; all if it is unknown. */
  finish(): ChatEvent[];
}

export function createReplay({
  sessionId,
  after,
  hasInteractions = false,
  max = CHAT_EVENTS_MAX,
}: {
  sessionId: string;
  after?: string | undefined;
  /** True when the client supports them. */
  hasInteractions?: boolean;
  max?: number;
}): Replay {
  let state: WireState = openWire(empty(sessionId));
  let eventLog = new ChatEventLog();

  return {
    add(events) {
      for (const event of events) {
        const mapped = mapEvent(state, event, sessionId);
        state = mapped.state;
        if (event.type === "session_clear") eventLog = new ChatEventLog();
        for (const { frame, isInteraction = false } of mapped.frames) {
          if (frame.type !== "chat_event" || (isInteraction && !hasInteractions)) continue;
          eventLog.add(frame.event);
          if (frame.event.id === after) eventLog = new ChatEventLog();
        }
      }
    },
    get seq() {
      return state.transcript.head.seq;
    },
    finish() {
      const left = eventLog.left();
      return left.length <= max ? left : withNote(left.slice(-max), left.length - max);
    },
  };
}

function withNote(left: readonly ChatEvent[], missing: number): ChatEvent[] {
  const [first] = left;
  if (first === undefined) return [];
  const text = `${missing} older events are omitted here. The terminal app and the page show them.`;
  const { timestamp, sessionId } = first;
  return [{ id: chatEventId(first.id, 0), timestamp, sessionId, type: "summary_message", payload: { text } }, ...left];
}

/** Positions of the chunks of one text, thinking or output. */
interface ChunkIndexes {
  /** Ended passages: only a complete text that follows replaces them. */
  readonly ended: number[];
  readonly open: number[];
}

/** Sent events without chunks superseded by a whole text, a result or a later form of the call. */
class ChatEventLog {
  readonly #events: (ChatEvent | undefined)[] = [];
  readonly #chunks = new Map<string, ChunkIndexes>();

  add(event: ChatEvent): void {
    // The client gets it when it subscribes.
    if (isBusyEvent(event)) return;
    this.#endSpan(event);
    const key = keyOf(event);
    if (key !== undefined && isWhole(event)) {
      const { ended = [], open = [] } = this.#chunks.get(key) ?? {};
      for (const index of [...ended, ...open]) this.#events[index] = undefined;
      this.#chunks.delete(key);
    }
    if (key !== undefined && event.type !== "tool_result") {
      const chunks = this.#chunks.get(key) ?? { ended: [], open: [] };
      chunks.open.push(this.#events.length);
      this.#chunks.set(key, chunks);
    }
    this.#events.push(event);
  }

  left(): ChatEvent[] {
    return this.#events.filter((event) => event !== undefined);
  }

  /** Text before and after a call are separate. Text without a whole form becomes one chunk. */
  #endSpan(event: ChatEvent): void {
    if (event.type !== "tool_call" && event.type !== "turn_end") return;
    const { turnId = "", responseId = turnId } = event;
    this.#chunks.delete(`text ${responseId}`);
    const thinking = this.#chunks.get(`thinking ${responseId}`);
    if (thinking !== undefined) {
      this.#join(thinking.open);
      for (const index of thinking.open.splice(0)) thinking.ended.push(index);
    }
    if (event.type === "tool_call") return;
    for (const [key, { open }] of this.#chunks) {
      const [first = -1] = open;
      if (key.startsWith("output ") && this.#events[first]?.turnId === turnId) this.#join(open);
    }
  }

  #join(indexes: readonly number[]): void {
    const last = indexes.at(-1);
    let whole = "";
    for (const index of indexes) {
      const event = this.#events[index];
      if (event?.type === "thinking_chunk") {
        whole += event.payload.text;
        this.#events[index] = index === last ? { ...event, payload: { text: whole } } : undefined;
      } else if (event?.type === "tool_output_chunk") {
        whole += event.payload.chunk;
        this.#events[index] = index === last ? { ...event, payload: { ...event.payload, chunk: whole } } : undefined;
      }
    }
  }
}

function isWhole({ type }: ChatEvent): boolean {
  return type === "assistant_done" || type === "thinking_done" || type === "tool_result";
}

function keyOf(event: ChatEvent): string | undefined {
  if (event.type === "assistant_chunk" || event.type === "assistant_done") return `text ${event.responseId ?? ""}`;
  if (event.type === "thinking_chunk" || event.type === "thinking_done") return `thinking ${event.responseId ?? ""}`;
  if (event.type === "tool_output_chunk" || event.type === "tool_result") return `output ${event.payload.toolCallId}`;
  return undefined;
}
