/** User messages, the queue, and deliveries to members. */
import type { DeliveryState, EventOf } from "../../protocol/index.ts";
import { closeFirstAnswers, joinBySteering, openDiscussion } from "./council.ts";
import { settleActivity } from "./members.ts";
import type { Head, Transcript } from "../model.ts";
import type { Delivery, TurnMessage, UserMessage } from "../messages.ts";
import { changeTurnOrNotice } from "./notices.ts";
import { addBlock } from "./open-turns.ts";
import { appendMessage, findLive, freezePages, patchHead, replaceMessage, withHead } from "../pages.ts";
import { omit, own, plain, present } from "../record.ts";

export function addUserMessage(transcript: Transcript, event: EventOf<"user_message">): Transcript {
  const { head } = transcript;
  const { messageId, textBlob, clientId, clientMessageId, origin } = event;
  const position = head.messageCount;
  const message: UserMessage = {
    kind: "user",
    position,
    seq: event.seq,
    ts: event.ts,
    messageId,
    text: event.text,
    ...present({ textBlob, clientId, clientMessageId, origin }),
    to: event.to,
    toAll: event.toAll,
    attachments: plain(event.attachments),
    deliveries: {},
  };
  const noted = withHead(transcript, {
    ...openDiscussion(head, event),
    userCount: head.userCount + 1,
    latestUser: { messageId, position },
  });
  return freezePages(appendMessage(noted, message));
}

export function setQueue(transcript: Transcript, event: EventOf<"queue_updated">): Transcript {
  return patchHead(transcript, { queue: plain(event.items) });
}

/**
 * Open deliveries are in the head and move into the message once every addressee has settled. Deliveries of unknown or
 * frozen messages are ignored.
 */
export function setDelivery(transcript: Transcript, event: EventOf<"message_delivery">): Transcript {
  const { messageId, member } = event;
  const message = findLive(transcript, (one): one is UserMessage => one.kind === "user" && one.messageId === messageId);
  if (message === undefined) return transcript;
  const { head } = transcript;
  const before = own(head.deliveries, messageId) ?? message.deliveries;
  const steered = own(before, member)?.steered;
  const deliveries: Record<string, Delivery> = {
    ...before,
    [member]: { state: event.state, ...present({ steered, reason: event.reason }) },
  };
  const names = [...message.to, ...Object.keys(deliveries)];
  if (!names.every((name) => hasSettled(own(deliveries, name)?.state))) {
    const open = { ...head, deliveries: { ...head.deliveries, [messageId]: deliveries } };
    return withHead(transcript, settleActivity(open, member));
  }
  const moved = replaceMessage(transcript, message.position, { ...message, deliveries });
  const settled = closeFirstAnswers({ ...head, deliveries: omit(head.deliveries, messageId) }, messageId);
  return freezePages(withHead(moved, settleActivity(settled, member)));
}

function hasSettled(state: DeliveryState | undefined): boolean {
  return state === "answered" || state === "dropped";
}

function markSteered(head: Head, { messageId, member }: EventOf<"steering">): Head {
  const open = own(head.deliveries, messageId) ?? {};
  const delivery = own(open, member ?? "");
  if (delivery === undefined) return head;
  const marked = { ...open, [member ?? ""]: { ...delivery, steered: true as const } };
  return { ...head, deliveries: { ...head.deliveries, [messageId]: marked } };
}

export function steerTurn(transcript: Transcript, event: EventOf<"steering">): Transcript {
  const steered = changeTurnOrNotice(transcript, event, (turn: TurnMessage, { messageId, ts }) =>
    addBlock(turn, { kind: "steering", messageId, ts }),
  );
  return withHead(steered, joinBySteering(markSteered(steered.head, event), event));
}
