/**
 * The context of a member, read from the log: the same after a restart, an interrupt or an undo as it is while its agent
 * sits. Reads from where the context begins, and each older turn that is pinned by itself.
 */
import type { ConversationHistory, FoldedHistory, HistoryStep, HistoryTurn, PinnedTurn } from "../../agents/index.ts";
import type { EventLog } from "../../log/index.ts";
import { ContextEntry, type EventOf, type SessionEvent } from "../../protocol/index.ts";
import { loadAttached } from "../delivery/attached.ts";
import type { ContextFrame } from "./memory.ts";
import { CONTEXT_BYTES_MAX } from "../limits.ts";
import { HistoryBuilder, pinnedTurn, type RawCall, type RawStep, type RawTurn } from "./history-builder.ts";
import { memberOf, type SessionState } from "../state.ts";

/** The agent has no context of its own, or another one than the log has. */
export function isHistoryDue(state: SessionState, member: string): boolean {
  const runtime = state.runtimeOf(member);
  if (runtime.capabilities().compact !== "table") return false;
  return runtime.isFresh || state.staleContexts.has(member);
}

/** Throws when a part of it cannot be read. */
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
  // Turns may have been forgotten after it, so that the context begins later than its compaction.
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
  if (bytes === undefined) throw new Error(`the blob ${sha256} is not there any more`);
  return Buffer.from(bytes).toString("utf8");
}
