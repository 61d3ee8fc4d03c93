/**
 * A session's chat events for a client that loads it: the same events, with the same ids and in the same order as they
 * were told live, without the pieces of what is told whole later on. After an event that the client has, only the rest.
 */
import type { SessionEvent } from "../../protocol/index.ts";
import { empty } from "../../transcript/index.ts";
import { chatEventId } from "./chat-event-id.ts";
import type { ChatEvent } from "./chat-event.ts";
import { mapEvent, openWire, type WireState } from "./mapping.ts";

/** Older ones are left out, and a first event says so. */
const CHAT_EVENTS_MAX = 50_000;

export interface Replay {
  /** Every event of the log, in order. */
  add(events: readonly SessionEvent[]): void;
  /** Up to which event of ours it goes. */
  readonly seq: number;
  /** What comes after `after`; all of it when there is no such event. */
  finish(): ChatEvent[];
}

export function createReplay({
  sessionId,
  after,
  max = CHAT_EVENTS_MAX,
}: {
  sessionId: string;
  after?: string | undefined;
  max?: number;
}): Replay {
  let state: WireState = openWire(empty(sessionId));
  let told: (ChatEvent | undefined)[] = [];
  let pieces = new Pieces();

  function take(event: ChatEvent): void {
    for (const index of pieces.replacedBy(event)) told[index] = undefined;
    pieces.note(event, told.length);
    told.push(event);
    if (event.id === after) restart();
  }

  function restart(): void {
    told = [];
    pieces = new Pieces();
  }

  return {
    add(events) {
      for (const event of events) {
        const mapped = mapEvent(state, event, sessionId);
        state = mapped.state;
        if (event.type === "session_clear") restart();
        for (const { frame } of mapped.frames) if (frame.type === "chat_event") take(frame.event);
      }
    },
    get seq() {
      return state.transcript.head.seq;
    },
    finish() {
      const left = told.filter((event) => event !== undefined);
      return left.length <= max ? left : withNote(left.slice(-max), left.length - max);
    },
  };
}

function withNote(left: readonly ChatEvent[], missing: number): ChatEvent[] {
  const [first] = left;
  if (first === undefined) return [];
  const text = `${missing} older events are left out here. Roundtable's own screens show them.`;
  const { timestamp, sessionId } = first;
  const payload = { text, summaryType: "left_out" };
  return [{ id: chatEventId(first.id, 0), timestamp, sessionId, type: "summary_message", payload }, ...left];
}

/** Where the pieces are that a whole text, a result or a later form of the same call makes superfluous. */
class Pieces {
  readonly #at = new Map<string, number[]>();

  note(event: ChatEvent, index: number): void {
    const key = pieceKey(event);
    if (key === undefined) return;
    const indexes = this.#at.get(key);
    if (indexes === undefined) this.#at.set(key, [index]);
    else indexes.push(index);
  }

  replacedBy(event: ChatEvent): readonly number[] {
    // What was said before a call is another text than what is said after it.
    if (event.type === "tool_call") this.#at.delete(`text ${event.responseId ?? ""}`);
    const key = wholeKey(event);
    if (key === undefined) return [];
    const indexes = this.#at.get(key) ?? [];
    this.#at.delete(key);
    return indexes;
  }
}

function pieceKey(event: ChatEvent): string | undefined {
  if (event.type === "assistant_chunk" || event.type === "assistant_done") return `text ${event.responseId ?? ""}`;
  if (event.type === "thinking_chunk" || event.type === "thinking_done") return `thinking ${event.responseId ?? ""}`;
  if (event.type === "tool_output_chunk") return `output ${event.payload.toolCallId}`;
  return undefined;
}

function wholeKey(event: ChatEvent): string | undefined {
  if (event.type === "assistant_done") return `text ${event.responseId ?? ""}`;
  if (event.type === "thinking_done") return `thinking ${event.responseId ?? ""}`;
  if (event.type === "tool_result") return `output ${event.payload.toolCallId}`;
  return undefined;
}
