/** The queue of a session: messages whose recipients are busy, editable until they leave it. */
import { RoundtableError, type CommandOf, type DraftOf, type QueueItem } from "../../protocol/index.ts";
import { addressOf, EVERYONE } from "./addressing.ts";
import { fitsEncoded } from "../../kit/text/encoded-size.ts";
import { draftBytes } from "../fit-event.ts";
import { QUEUE_BYTES_MAX, QUEUE_ITEMS_MAX, QUEUE_TEXT_INLINE_MAX } from "../limits.ts";
import { checkTextSize, storeText } from "./message-text.ts";
import { isAvailable, joinedMembers, type SessionState } from "../state.ts";

export function queueOf(state: SessionState): readonly QueueItem[] {
  return state.ledger.transcript.head.queue;
}

export function setQueue(state: SessionState, items: readonly QueueItem[]): void {
  const draft: DraftOf<"queue_updated"> = { type: "queue_updated", items: [...items] };
  if (items.length > QUEUE_ITEMS_MAX && items.length > queueOf(state).length) {
    throw new RoundtableError("too_large", `The queue is full: it holds ${QUEUE_ITEMS_MAX} messages.`, {
      hint: "Wait until one is sent, or remove one.",
    });
  }
  if (draftBytes(draft) > QUEUE_BYTES_MAX && draftBytes(draft) > bytesOf(queueOf(state))) {
    throw new RoundtableError("too_large", `The queue is full: its messages have more than ${QUEUE_BYTES_MAX} bytes.`, {
      hint: "Wait until one is sent, or remove one.",
    });
  }
  state.ledger.append([draft]);
}

function bytesOf(items: readonly QueueItem[]): number {
  return draftBytes({ type: "queue_updated", items: [...items] });
}

/** Addressees that are joined and unmuted now. */
export function addresseesOf(state: SessionState, item: { readonly to: readonly string[] }): string[] {
  if (item.to.includes(EVERYONE)) {
    return joinedMembers(state)
      .filter((member) => !member.muted)
      .map((member) => member.name);
  }
  return item.to.filter((name) => isAvailable(state, name));
}

export function itemOf(state: SessionState, messageId: string): QueueItem {
  const item = queueOf(state).find((one) => one.messageId === messageId);
  if (item !== undefined) return item;
  const why = state.ledger.memory.sends.knowsMessage(messageId)
    ? "it has already left the queue"
    : "there is no such message";
  throw new RoundtableError("unknown_message", `Message "${messageId}" is not in the queue: ${why}.`);
}

/** The editor of a message becomes its author. */
export async function editItem(
  state: SessionState,
  command: CommandOf<"queue_edit">,
  { clientId, file }: { readonly clientId: string; readonly file?: string | undefined },
): Promise<void> {
  const { messageId } = command;
  const known = joinedMembers(state).map((member) => member.name);
  itemOf(state, messageId);
  const address = addressOf(command, known, file);
  if (address.text.trim() === "" && itemOf(state, messageId).attachments.length === 0) {
    throw new RoundtableError("bad_command", "A message needs text or an attachment. To drop it, remove it.");
  }
  checkTextSize(address.text);
  const stored = fitsEncoded(address.text, QUEUE_TEXT_INLINE_MAX)
    ? { text: address.text }
    : await storeText(address.text, state.ledger.log.blobs, state.clock);
  const { textBlob: _, ...item } = itemOf(state, messageId);
  const isAddressed = command.to !== undefined || address.text !== command.text;
  const to = isAddressed ? (address.toAll ? [EVERYONE] : [...address.names]) : item.to;
  const edited: QueueItem = { ...item, ...stored, to, clientId };
  setQueue(
    state,
    queueOf(state).map((one) => (one.messageId === messageId ? edited : one)),
  );
}

/** Messages that are not named stay in order behind the named ones. */
export function reorderQueue(state: SessionState, command: CommandOf<"queue_reorder">): void {
  const named = [...new Set(command.messageIds)].map((messageId) => itemOf(state, messageId));
  setQueue(state, [...named, ...queueOf(state).filter((item) => !named.includes(item))]);
}

export function removeItem(state: SessionState, command: CommandOf<"queue_remove">): void {
  const item = itemOf(state, command.messageId);
  setQueue(
    state,
    queueOf(state).filter((one) => one !== item),
  );
}
