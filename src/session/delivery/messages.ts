/** Commands send, steer, queue_add and queue_promote: turn a command into a message or a queue item. */
import { newId } from "../../kit/ids.ts";
import { RoundtableError, type CommandOf, type QueueItem, type ResultOf } from "../../protocol/index.ts";
import { addressOf, EVERYONE, type Address } from "./addressing.ts";
import { aheadOf, decideDeliveries, release, steerInto, type DeliveryMode, type DeliveryDecision } from "./delivery.ts";
import { fitsEncoded } from "../../kit/text/encoded-size.ts";
import { draftBytes } from "../fit-event.ts";
import {
  ATTACHMENTS_MAX,
  MESSAGE_TEXT_INLINE_MAX,
  PENDING_PER_MEMBER_MAX,
  QUEUE_BYTES_MAX,
  QUEUE_TEXT_INLINE_MAX,
} from "../limits.ts";
import { checkTextSize, storeText, type StoredText } from "./message-text.ts";
import { addresseesOf, itemOf, queueOf, setQueue } from "./queue.ts";
import type { SendRecord } from "./sends.ts";
import { allMemberNames, memberOf, noSuchMember, joinedMembers, type SessionState } from "../state.ts";

type MessageCommand = CommandOf<"send"> | CommandOf<"steer"> | CommandOf<"queue_add">;

const DELIVERY_MODES: Record<MessageCommand["type"], DeliveryMode> = {
  send: "usual",
  steer: "now",
  queue_add: "patient",
};

/** `origin` travels through the queue. */
type Item = QueueItem & { origin?: string };

/** The seq of the message, and the result of its first send. */
export interface AcceptedMessage {
  readonly seq: number;
  readonly result: ResultOf<MessageCommand["type"]>;
}

/** The sender, and the file that the text begins with. */
interface Given {
  readonly clientId: string;
  readonly file?: string | undefined;
}

/** Synchronous unless a long text has to be stored first. */
export function acceptMessage(
  state: SessionState,
  command: MessageCommand,
  given: Given,
): AcceptedMessage | Promise<AcceptedMessage> {
  const { clientId, file } = given;
  const address = addressOf(command, allMemberNames(state), file);
  const attachments = command.attachments ?? [];
  const first = state.ledger.memory.sends.repeated(command.clientMessageId, address, attachments);
  if (first !== undefined) return answerOf(first);
  checkMessage(state, command, address);
  const deliveryMode = DELIVERY_MODES[command.type];
  const item: Item = {
    messageId: newId(),
    text: address.text,
    to: address.toAll ? [EVERYONE] : [...address.names],
    attachments,
    clientId,
    clientMessageId: command.clientMessageId,
    ...(command.origin === undefined ? {} : { origin: command.origin }),
    ...(command.rounds === undefined ? {} : { rounds: command.rounds }),
    ts: state.clock.now(),
  };
  requireAddressees(state, item);
  const inlineMax = canGoNow(state, item, deliveryMode) ? MESSAGE_TEXT_INLINE_MAX : QUEUE_TEXT_INLINE_MAX;
  const finish = (stored: StoredText): AcceptedMessage => {
    deliverOrQueue(state, { ...item, ...stored }, deliveryMode);
    state.schedule();
    return answerOf(recordOf(state, command.clientMessageId), mutedAmong(state, address));
  };
  if (fitsEncoded(address.text, inlineMax)) return finish({ text: address.text });
  return storeText(address.text, state.ledger.log.blobs, state.clock).then(finish);
}

function recordOf(state: SessionState, clientMessageId: string): SendRecord {
  const record = state.ledger.memory.sends.find(clientMessageId);
  if (record !== undefined) return record;
  throw new RoundtableError("store_unavailable", `Message "${clientMessageId}" could not be written. Send it again.`);
}

/** Delivers now: into the running turn where possible, otherwise as the next queue item. */
export function promoteItem(state: SessionState, command: CommandOf<"queue_promote">): ResultOf<"queue_promote"> {
  const item = itemOf(state, command.messageId);
  const names = requireAddressees(state, item);
  for (const name of names) state.held.delete(name);
  const decisions = decideDeliveries(state, item, names, "now");
  if ([...decisions.values()].every((decision) => decision === "wait")) {
    setQueue(state, [item, ...queueOf(state).filter((one) => one !== item)]);
    return { messageId: item.messageId, placed: "queued" };
  }
  release(state, [item], "now");
  steerInto(state, decisions);
  state.schedule();
  return { messageId: item.messageId, placed: "sent", ...listDecisions(decisions) };
}

function canGoNow(state: SessionState, item: QueueItem, deliveryMode: DeliveryMode): boolean {
  return [...decideDeliveries(state, item, addresseesOf(state, item), deliveryMode).values()].some(
    (decision) => decision !== "wait",
  );
}

function deliverOrQueue(state: SessionState, item: QueueItem, deliveryMode: DeliveryMode): void {
  const names = requireAddressees(state, item);
  const decisions = decideDeliveries(state, item, names, deliveryMode);
  const runs = [...decisions].some(([, decision]) => decision !== "wait");
  checkRoom(state, item, runs ? names : []);
  if (!runs) {
    setQueue(state, [...queueOf(state), item]);
    for (const name of names) state.held.delete(name);
    return;
  }
  for (const name of names) state.held.delete(name);
  // A steer is for the running turn, so it bypasses the queue.
  const isSteered = deliveryMode === "now" && [...decisions.values()].includes("steer");
  release(state, [...(isSteered ? [] : aheadOf(state, names)), item], deliveryMode);
  steerInto(state, decisions);
}

/** Throws when no addressee is left. */
function requireAddressees(state: SessionState, item: QueueItem): string[] {
  const names = addresseesOf(state, item);
  if (names.length > 0) return names;
  const who = item.to.includes(EVERYONE) ? "Every member" : item.to.join(", ");
  const hasNoMembers = joinedMembers(state).length === 0;
  throw new RoundtableError(
    "nobody_to_ask",
    hasNoMembers ? "The session has no members." : `${who} is muted or has left; nobody can be asked.`,
    { hint: hasNoMembers ? "Add a member first." : "Unmute a member, or address another." },
  );
}

function checkMessage(state: SessionState, command: MessageCommand, address: Address): void {
  for (const name of address.names) {
    if (memberOf(state, name)?.seated !== true) {
      throw noSuchMember(state, name);
    }
  }
  const attachments = command.attachments ?? [];
  if (address.text.trim() === "" && attachments.length === 0) {
    throw new RoundtableError("bad_command", "A message needs text or an attachment.");
  }
  if (attachments.length > ATTACHMENTS_MAX) {
    throw new RoundtableError("too_large", `A message carries at most ${ATTACHMENTS_MAX} attachments.`);
  }
  checkTextSize(address.text);
}

function checkRoom(state: SessionState, item: QueueItem, names: readonly string[]): void {
  if (draftBytes({ type: "queue_updated", items: [item] }) > QUEUE_BYTES_MAX) {
    throw new RoundtableError("too_large", "The message and its attachment metadata exceed the size limit.", {
      hint: "Send fewer attachments at once.",
    });
  }
  for (const name of names) {
    if (state.ledger.memory.mailbox.pendingOf(name).length < PENDING_PER_MEMBER_MAX) continue;
    throw new RoundtableError("busy", `${name} already has ${PENDING_PER_MEMBER_MAX} messages waiting.`, {
      hint: `Wait until ${name} has answered, or interrupt it.`,
    });
  }
}

function answerOf(record: SendRecord, muted: readonly string[] = []): AcceptedMessage {
  const { messageId, seq, placed, waiting, steering } = record;
  return {
    seq,
    result: {
      messageId,
      placed,
      ...(waiting.length === 0 ? {} : { waiting: [...waiting] }),
      ...(steering.length === 0 ? {} : { steering: [...steering] }),
      ...(muted.length === 0 ? {} : { muted: [...muted] }),
    },
  };
}

function mutedAmong(state: SessionState, address: Address): string[] {
  return address.names.filter((name) => memberOf(state, name)?.muted === true);
}

function listDecisions(decisions: ReadonlyMap<string, DeliveryDecision>): { waiting?: string[]; steering?: string[] } {
  const having = (decision: DeliveryDecision): string[] =>
    [...decisions].filter(([, one]) => one === decision).map(([name]) => name);
  const waiting = having("wait");
  const steering = having("steer");
  return { ...(waiting.length === 0 ? {} : { waiting }), ...(steering.length === 0 ? {} : { steering }) };
}
