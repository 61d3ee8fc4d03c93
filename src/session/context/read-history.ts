/**
 * A member's context, rebuilt from the log: the same after a restart, an interrupt or an undo as in a running agent.
 * Reads from the start of the context, and each older pinned turn separately.
 */

import type {
  ConversationHistory,
  FoldedHistory,
  HistoryStep,
  HistoryTurn,
  PinnedTurn,
  HistoryCall,
} from "../../agents/index.ts";
import type { EventLog } from "../../log/index.ts";
import {
  ContextEntry,
  type EventOf,
  type SessionEvent,
  type Attachment,
  type BlobRef,
  type Outcome,
} from "../../protocol/index.ts";
import { loadAttached } from "../delivery/message-text.ts";
import type { ContextFrame } from "./memory.ts";
import { CONTEXT_BYTES_MAX } from "../limits.ts";
import { memberOf, type SessionState } from "../state.ts";
import { RESTART } from "../recovery/restart-facts.ts";

/** The agent has no context, or one that differs from the log. */
export function isHistoryDue(state: SessionState, member: string): boolean {
  const runtime = state.runtimeOf(member);
  if (runtime.capabilities().compact !== "table") return false;
  return runtime.isFresh || state.staleContexts.has(member);
}

/** Throws when a part cannot be read. */
export async function readHistory(state: SessionState, member: string): Promise<ConversationHistory> {
  const context = state.ledger.memory.contexts.of(member);
  if (context === undefined) return { pinned: [], turns: [] };
  const { log } = state.ledger;
  const { builder, compaction } = await readFrame(log, member, context.frame);
  const folded = compaction === undefined ? undefined : foldedBy(compaction);
  const used = memberOf(state, member)?.context;
  return {
    ...(folded === undefined ? {} : { folded }),
    pinned: await Promise.all((folded?.pinned ?? []).map((one) => readPinned(log, member, one))).then((all) =>
      all.filter((turn) => turn !== undefined),
    ),
    turns: await Promise.all(builder.turns(context.frame.firstTurnId).map((turn) => whole(log, turn))),
    ...(used === undefined ? {} : { used: { tokens: used.used, measured: used.measured } }),
    ...(context.isUndone ? { isUndone: true } : {}),
  };
}

async function readFrame(
  log: EventLog,
  member: string,
  frame: ContextFrame,
): Promise<{ builder: HistoryBuilder; compaction: EventOf<"compaction"> | undefined }> {
  const builder = new HistoryBuilder(member, CONTEXT_BYTES_MAX);
  let compaction: EventOf<"compaction"> | undefined;
  // Turns may have been forgotten after it, so the context can begin later than its compaction.
  const from = Math.min(frame.firstSeq, frame.compaction?.seq ?? frame.firstSeq);
  for await (const events of log.read(from - 1)) {
    for (const event of events) {
      if (event.type === "compaction" && event.seq === frame.compaction?.seq) compaction = event;
      else await feed(log, builder, event);
    }
  }
  return { builder, compaction };
}

async function feed(log: EventLog, builder: HistoryBuilder, event: SessionEvent): Promise<void> {
  if (event.type !== "context_entry" || event.blob === undefined) {
    builder.apply(event, event.type === "context_entry" ? event.entry : undefined);
    return;
  }
  builder.apply(event, ContextEntry.parse(JSON.parse(await textOf(log, event.blob.sha256))));
}

async function readPinned(log: EventLog, member: string, pinned: PinnedTurn): Promise<HistoryTurn | undefined> {
  const builder = new HistoryBuilder(member, CONTEXT_BYTES_MAX);
  for await (const events of log.read(pinned.seq - 1)) {
    for (const event of events) {
      await feed(log, builder, event);
      const turn = event.type === "turn_end" ? pinnedTurn(builder, pinned) : undefined;
      if (turn !== undefined) return whole(log, turn);
    }
  }
  return undefined;
}

function foldedBy({
  told: handover = "",
  words: userTexts = [],
  pinned = [],
  seq,
}: EventOf<"compaction">): FoldedHistory {
  return { handover, userTexts, pinned, seq };
}

async function whole(log: EventLog, turn: RawTurn): Promise<HistoryTurn> {
  const { turnId, seq, fromSeq, messageIds, isCut } = turn;
  return {
    turnId,
    seq,
    fromSeq,
    messageIds,
    steps: await Promise.all(turn.steps.map((step) => wholeStep(log, step))),
    outcome: turn.outcome ?? "interrupted",
    ...(isCut ? { isCut } : {}),
    partial: [...turn.partialTexts.values()].join(""),
  };
}

async function wholeStep(log: EventLog, step: RawStep): Promise<HistoryStep> {
  if (step.kind === "asked") return { ...step, images: await loadAttached(log.blobs, step.images) };
  if (step.kind !== "replied") return step;
  return { ...step, calls: await Promise.all(step.calls.map((call) => wholeCall(log, call))) };
}

async function wholeCall(log: EventLog, { resultBlob, ...call }: RawCall): Promise<Omit<RawCall, "resultBlob">> {
  return resultBlob === undefined ? call : { ...call, result: await textOf(log, resultBlob.sha256) };
}

async function textOf({ blobs }: EventLog, sha256: string): Promise<string> {
  const bytes = await blobs.get(sha256);
  if (bytes === undefined) throw new Error(`the blob ${sha256} no longer exists`);
  return Buffer.from(bytes).toString("utf8");
}

/**
 * Builds the conversation of one member with its model from log events. Only content of the log goes in, each call has
 * at most one result, and turns without a known prompt are omitted.
 */
interface RawTurn {
  readonly turnId: string;
  readonly seq: number;
  readonly fromSeq: number;
  readonly messageIds: readonly string[];
  readonly steps: RawStep[];
  outcome: Outcome | undefined;
  isCut: boolean;
  /** Text since the last complete reply, by segment. */
  readonly partialTexts: Map<string, string>;
  readonly bytes: { sum: number };
}

type RawCall = Omit<HistoryCall, "result"> & { result?: string; resultBlob?: BlobRef };

type RawStep =
  | {
      readonly kind: "asked";
      readonly text: string;
      readonly images: readonly Attachment[];
      readonly userText?: string;
    }
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

  /** `entry` is the content of a `context_entry`, loaded from its blob where it has one. */
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

  /** Ended turns with a prompt, oldest first; from `firstTurnId` on where it is among them. */
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

  /** Call ids may repeat in a later reply; a call belongs to the newest reply. */
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

  /** Drops what no context can hold. */
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
      const { text, images = [], words: userText } = entry;
      return { kind: "asked", text, images, ...(userText === undefined ? {} : { userText }) };
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

/** The pinned turn alone, out of the events from its seq on. */
function pinnedTurn(builder: HistoryBuilder, { turnId }: PinnedTurn): RawTurn | undefined {
  return builder.turns().find((turn) => turn.turnId === turnId);
}
