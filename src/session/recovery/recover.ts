/**
 * Recovery when the last writer crashed: ends every open turn in the log. Depends on the log only, so it can crash
 * anywhere, run again and give the same transcript. Starts nothing.
 */
import type { Clock } from "../../kit/clock.ts";
import type { EventDraft } from "../../protocol/index.ts";
import type { Block, TurnMessage } from "../../transcript/index.ts";
import { plural } from "../../kit/text/format.ts";
import { beginningOf } from "../../kit/text/encoded-size.ts";
import type { Ledger } from "../ledger.ts";
import { SEGMENT_BYTES_MAX } from "../limits.ts";
import type { Unsettled } from "../delivery/mailbox.ts";
import { RESTART } from "./restart-facts.ts";
import { WAITING } from "../delivery/sends.ts";

const TOOL_MESSAGE = "The program ended before the tool had a result.";

export function recover(ledger: Ledger, clock: Clock): void {
  closeRequests(ledger);
  // Deepest first: the result of a subagent is recorded in its parent turn, which must still be open.
  const openTurns = Object.values(ledger.transcript.head.openTurns).sort((one, other) => other.depth - one.depth);
  for (const turn of openTurns) {
    ledger.append([...turn.blocks.flatMap((block) => closingDrafts(turn, block)), endDraft(turn, clock)]);
  }
  ledger.append(cutCompactions(ledger));
  settleDeliveries(ledger);
  dropSentFromQueue(ledger);
  announce(ledger);
}

function cutCompactions({ transcript }: Ledger): EventDraft[] {
  return Object.values(transcript.head.members).flatMap(({ name, compacting }): EventDraft[] =>
    compacting === undefined ? [] : [{ type: "compaction_failed", member: name, reason: RESTART }],
  );
}

function closeRequests(ledger: Ledger): void {
  ledger.append(
    ledger.transcript.head.requests.map(({ requestId, member, turnId }): EventDraft => {
      const stamp = { member, ...(turnId === undefined ? {} : { turnId }) };
      return { type: "ui_cancelled", requestId, ...stamp, reason: "restart" };
    }),
  );
}

/** Closing events for one block of an abandoned turn. */
export function closingDrafts(turn: TurnMessage, block: Block, toolMessage = TOOL_MESSAGE): EventDraft[] {
  const stamp = { turnId: turn.turnId, member: turn.member };
  if (block.kind === "text" && !block.done) {
    const text = beginningOf(block.text, SEGMENT_BYTES_MAX);
    return [{ type: "text_done", ...stamp, segmentId: block.segmentId, text, interrupted: true }];
  }
  if (block.kind === "thinking" && !block.done) {
    const text = beginningOf(block.text, SEGMENT_BYTES_MAX);
    return [{ type: "thinking_done", ...stamp, segmentId: block.segmentId, text }];
  }
  if (block.kind === "subagent" && block.outcome === undefined) {
    return [{ type: "subagent_result", ...stamp, subagentTurnId: block.subagentTurnId, outcome: "interrupted" }];
  }
  if (block.kind === "tool" && isOpenTool(block)) {
    const error = { code: "tool_interrupted", message: toolMessage } as const;
    return [{ type: "tool_result", ...stamp, toolCallId: block.toolCallId, ok: false, error }];
  }
  return [];
}

function isOpenTool(block: Extract<Block, { kind: "tool" }>): boolean {
  const isCallback = block.state === "agent-callback" && block.result === undefined && block.error === undefined;
  return block.state === "pending" || isCallback;
}

function endDraft(turn: TurnMessage, clock: Clock): EventDraft {
  return {
    type: "turn_end",
    turnId: turn.turnId,
    member: turn.member,
    outcome: "interrupted",
    reason: RESTART,
    ...(turn.usage === undefined ? {} : { usage: turn.usage }),
    durationMs: Math.max(0, clock.now() - turn.ts),
  };
}

/** Writes the missing delivery events: a delivery settles as its turn did, the rest stays pending. */
function settleDeliveries(ledger: Ledger): void {
  const { deliveries } = ledger.transcript.head;
  const unsettled = ledger.memory.mailbox.unsettled();
  const drafts = unsettled.flatMap(({ messageId, member, state, reason }): EventDraft[] => {
    const base = { type: "message_delivery", messageId, member } as const;
    if (state === "answered") return [{ ...base, state }];
    if (state !== "pending") return [{ ...base, state: "dropped", reason: reason ?? RESTART }];
    const isShown = Object.hasOwn(deliveries, messageId) && Object.hasOwn(deliveries[messageId] ?? {}, member);
    return isShown ? [] : [{ ...base, state: "pending", reason: WAITING }];
  });
  ledger.append([...drafts, ...droppedRetries(ledger, unsettled)]);
}

/**
 * A retry that started after a later message has deliveries that only the transcript still knows. No turn is open now.
 */
function droppedRetries({ transcript }: Ledger, unsettled: readonly Unsettled[]): EventDraft[] {
  return Object.entries(transcript.head.deliveries).flatMap(([messageId, members]) =>
    Object.entries(members)
      .filter(([, { state }]) => state === "delivered" || state === "answering")
      .filter(([member]) => !unsettled.some((one) => one.messageId === messageId && one.member === member))
      .map(([member]): EventDraft => ({
        type: "message_delivery",
        messageId,
        member,
        state: "dropped",
        reason: RESTART,
      })),
  );
}

/** A message leaves the queue by two events; when the second is missing it would be in both places. */
function dropSentFromQueue(ledger: Ledger): void {
  const { queue } = ledger.transcript.head;
  const items = queue.filter((item) => !ledger.memory.sends.hasLeftQueue(item));
  if (items.length < queue.length) ledger.append([{ type: "queue_updated", items }]);
}

function announce(ledger: Ledger): void {
  const { recovery } = ledger.log;
  const { restart, mailbox } = ledger.memory;
  // Between two turns nothing was open, yet the discussion was cut.
  const cutDiscussion = restart.cutDiscussion || ledger.transcript.head.council.state === "running";
  if (restart.turnIds.length > 0 || recovery.tornBytes > 0) {
    ledger.append([
      {
        type: "recovered",
        turnIds: [...restart.turnIds],
        tornBytes: recovery.tornBytes,
        ...(recovery.tornFile === undefined ? {} : { tornFile: recovery.tornFile }),
      },
    ]);
  }
  const { queue, council } = ledger.transcript.head;
  const isPaused = council.state === "paused" && council.why === RESTART;
  const hasWaiting = queue.length > 0 || mailbox.hasPending();
  if (cutDiscussion || (hasWaiting && !isPaused)) {
    const { round } = ledger.transcript.head;
    const root = cutDiscussion && round !== undefined ? { rootMessageId: round.rootMessageId } : {};
    const message = pausedMessage(queue.length, cutDiscussion);
    ledger.append([{ type: "council_paused", why: "restart", message, ...root }]);
  }
}

function pausedMessage(queued: number, isCut: boolean): string {
  const what = isCut ? "A restart interrupted the discussion." : "Messages were waiting when the program ended.";
  const queue = queued === 0 ? "" : ` ${plural(queued, "message")} ${queued === 1 ? "is" : "are"} queued.`;
  return `${what}${queue} Nothing starts by itself: use /continue, or send a new message.`;
}
