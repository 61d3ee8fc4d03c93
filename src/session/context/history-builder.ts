/**
 * The conversation of one member with its model, made of the events of the log. Pure but for its own state.
 * Promise: only what the log says goes in, each call has at most one result, and a turn of which the log does not know
 * what was asked is left out.
 */
import type { HistoryCall, PinnedTurn } from "../../agents/index.ts";
import type { Attachment, BlobRef, ContextEntry, EventOf, Outcome, SessionEvent } from "../../protocol/index.ts";
import { RESTART } from "../recovery/restart-facts.ts";

export interface RawTurn {
  readonly turnId: string;
  readonly seq: number;
  readonly fromSeq: number;
  readonly messageIds: readonly string[];
  readonly steps: RawStep[];
  outcome: Outcome | undefined;
  isCut: boolean;
  /** What was said since the last whole reply, by segment. */
  readonly partialTexts: Map<string, string>;
  readonly bytes: { sum: number };
}

export type RawCall = Omit<HistoryCall, "result"> & { result?: string; resultBlob?: BlobRef };

export type RawStep =
  | { readonly kind: "asked"; readonly text: string; readonly images: readonly Attachment[]; readonly words?: string }
  | { readonly kind: "steered"; readonly messageId: string; readonly text: string }
  | {
      readonly kind: "replied";
      readonly text: string;
      readonly calls: readonly RawCall[];
      readonly kept: NonNullable<Extract<ContextEntry, { kind: "replied" }>["kept"]>;
    }
  | Extract<ContextEntry, { kind: "forgot" | "not_folded" }>;

export class HistoryBuilder {
  readonly #member: string;
  readonly #turns = new Map<string, RawTurn>();
  /** By toolCallId. */
  readonly #calls = new Map<string, RawCall>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(member: string, bytesMax: number) {
    this.#member = member;
    this.#bytesMax = bytesMax;
  }

  /** `entry` is what a `context_entry` holds, read from its blob where it has one. */
  apply(event: SessionEvent, entry?: ContextEntry): void {
    if (event.member !== this.#member || event.turnId === undefined) return;
    if (event.type === "turn_start") return this.#begin(event);
    const turn = this.#turns.get(event.turnId);
    if (turn === undefined || turn.outcome !== undefined) return;
    switch (event.type) {
      case "context_entry":
        if (entry !== undefined) this.#step(turn, entry);
        return;
      case "text_done":
        turn.partialTexts.set(event.segmentId, event.text);
        return;
      case "text_retracted":
        turn.partialTexts.delete(event.segmentId);
        return;
      case "tool_call_start":
        this.#call(turn, event);
        return;
      case "tool_result":
        this.#result(turn, event);
        return;
      case "turn_end":
        turn.outcome = event.outcome;
        turn.isCut = event.reason === RESTART;
        this.#calls.clear();
        this.#makeRoom();
        return;
      default:
    }
  }

  /** Turns that have ended and were asked something, oldest first; from `firstTurnId` on where it is among them. */
  turns(firstTurnId?: string): RawTurn[] {
    const ended = [...this.#turns.values()].filter(
      ({ outcome, steps }) => outcome !== undefined && steps[0]?.kind === "asked",
    );
    const from = firstTurnId === undefined ? -1 : ended.findIndex(({ turnId }) => turnId === firstTurnId);
    return from < 0 ? ended : ended.slice(from);
  }

  #begin(event: EventOf<"turn_start">): void {
    if (event.depth > 0) return;
    this.#turns.set(event.turnId, {
      turnId: event.turnId,
      seq: event.seq,
      fromSeq: event.given?.fromSeq ?? event.seq,
      messageIds: event.messageIds,
      steps: [],
      outcome: undefined,
      isCut: false,
      partialTexts: new Map(),
      bytes: { sum: 0 },
    });
  }

  #step(turn: RawTurn, entry: ContextEntry): void {
    if ((entry.kind === "asked") !== (turn.steps.length === 0)) return;
    turn.steps.push(stepOf(entry));
    const opaqueBytes = entry.kind === "replied" && entry.kept !== undefined ? JSON.stringify(entry.kept).length : 0;
    this.#count(turn, ("text" in entry ? entry.text.length : 0) + opaqueBytes);
    if (entry.kind === "replied") turn.partialTexts.clear();
  }

  /** Ids of calls may come again in a later reply; a call is one of the newest reply. */
  #call(turn: RawTurn, { callId, toolCallId }: EventOf<"tool_call_start">): void {
    const reply = turn.steps.findLast((step) => step.kind === "replied");
    const call = reply?.calls.find(({ id }) => id === callId);
    if (callId !== undefined && call !== undefined) this.#calls.set(toolCallId, call);
  }

  #result(turn: RawTurn, { toolCallId, result, error, truncated }: EventOf<"tool_result">): void {
    const call = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    if (call === undefined || error?.code === "tool_interrupted") return;
    call.result = result ?? `Error: ${error?.message ?? ""}`;
    if (truncated?.blob !== undefined) call.resultBlob = truncated.blob;
    this.#count(turn, truncated?.blob?.bytes ?? call.result.length);
  }

  #count(turn: RawTurn, bytes: number): void {
    turn.bytes.sum += bytes;
    this.#bytes += bytes;
  }

  /** More than any context holds is not kept in memory. */
  #makeRoom(): void {
    for (const [turnId, turn] of this.#turns) {
      if (this.#bytes <= this.#bytesMax || this.#turns.size <= 1) return;
      this.#turns.delete(turnId);
      this.#bytes -= turn.bytes.sum;
    }
  }
}

function stepOf(entry: ContextEntry): RawStep {
  switch (entry.kind) {
    case "asked": {
      const { text, images = [], words } = entry;
      return { kind: "asked", text, images, ...(words === undefined ? {} : { words }) };
    }
    case "replied":
      return {
        kind: "replied",
        text: entry.text,
        calls: structuredClone(entry.calls ?? []),
        kept: entry.kept ?? [],
      };
    default:
      return entry;
  }
}

/** The pinned turn alone, out of what was read from its seq on. */
export function pinnedTurn(builder: HistoryBuilder, { turnId }: PinnedTurn): RawTurn | undefined {
  return builder.turns().find((turn) => turn.turnId === turnId);
}
