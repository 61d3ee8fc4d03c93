/** A user message of an external session. No member here is asked to answer it. */
import type { EventDraft } from "../../../protocol/index.ts";
import { shortName, shownMessage } from "./bodies.ts";
import type { ExternalImage, ImportUnit, TimedDraft } from "./external-session.ts";

export interface MessageFacts {
  /** Local name of the message. */
  readonly id: string;
  readonly line: number;
  readonly ts: number;
  readonly text: string;
  readonly origin: string;
  readonly images?: readonly ExternalImage[];
  /** The member that already has it in its own context. */
  readonly deliveredTo?: string | undefined;
}

export interface MessageDraft {
  readonly messageId: string;
  readonly timed: readonly TimedDraft[];
}

export function messageDraft({ id, ts, text, origin, images = [], deliveredTo }: MessageFacts): MessageDraft {
  const { text: shown, whole } = shownMessage(text);
  const draft: EventDraft = {
    type: "user_message",
    messageId: id,
    text: shown,
    to: [],
    toAll: false,
    attachments: [],
    origin: shortName(origin),
  };
  const message: TimedDraft = {
    ts,
    draft,
    ...(whole === undefined ? {} : { whole }),
    ...(images.length === 0 ? {} : { images }),
  };
  if (deliveredTo === undefined) return { messageId: id, timed: [message] };
  const delivery: EventDraft = { type: "message_delivery", messageId: id, member: deliveredTo, state: "answered" };
  return { messageId: id, timed: [message, { ts, draft: delivery }] };
}

export function messageUnit(facts: MessageFacts): ImportUnit {
  return { line: facts.line, drafts: messageDraft(facts).timed };
}
