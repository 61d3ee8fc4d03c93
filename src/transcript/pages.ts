/**
 * Messages at positions 0, 1, 2 … in pages of PAGE_SIZE. Frozen pages are a prefix and may be absent from memory, so
 * nothing here reads or changes them.
 */
import { PAGE_SIZE, type Head, type Page, type Transcript } from "./model.ts";
import type { Message } from "./messages.ts";
import { own } from "./record.ts";

export function patchHead(transcript: Transcript, patch: Partial<Head>): Transcript {
  return withHead(transcript, { ...transcript.head, ...patch });
}

export function withHead(transcript: Transcript, head: Head): Transcript {
  return { head, frozen: transcript.frozen, live: transcript.live };
}

/** Adds the message at position `head.messageCount`. */
export function appendMessage(transcript: Transcript, message: Message): Transcript {
  const { frozen, live, head } = transcript;
  const index = Math.floor(head.messageCount / PAGE_SIZE);
  const last = live.at(-1);
  const pages =
    last?.index === index
      ? live.with(live.length - 1, { index, messages: [...last.messages, message] })
      : [...live, { index, messages: [message] }];
  return { head: { ...head, messageCount: head.messageCount + 1 }, frozen, live: pages };
}

export function replaceMessage(transcript: Transcript, position: number, message: Message): Transcript {
  const { head, frozen, live } = transcript;
  const index = Math.floor(position / PAGE_SIZE);
  const page = live[index - frozen.length];
  if (page === undefined) {
    throw new Error(
      `Position ${position} of session ${head.sessionId} is not in a live page: the fold is inconsistent.`,
    );
  }
  const messages = page.messages.with(position % PAGE_SIZE, message);
  return { head, frozen, live: live.with(index - frozen.length, { index, messages }) };
}

/** The newest matching message in a live page. */
export function findLive<Match extends Message>(
  transcript: Transcript,
  test: (message: Message) => message is Match,
): Match | undefined {
  for (let at = transcript.live.length - 1; at >= 0; at -= 1) {
    const match = transcript.live[at]?.messages.findLast(test);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Freezes every page that can no longer change. */
export function freezePages(transcript: Transcript): Transcript {
  const { head, live } = transcript;
  let count = 0;
  for (let page = live[count]; page !== undefined && cannotChange(head, page); page = live[count]) count += 1;
  if (count === 0) return transcript;
  return { head, frozen: [...transcript.frozen, ...live.slice(0, count)], live: live.slice(count) };
}

/** Pages from the latest user message on can still change, because a retry may replace their turns. */
function cannotChange(head: Head, page: Page): boolean {
  if (page.messages.length < PAGE_SIZE) return false;
  if (head.latestUser === undefined || (page.index + 1) * PAGE_SIZE > head.latestUser.position) return false;
  return page.messages.every((message) => isSettled(head, message));
}

function isSettled(head: Head, message: Message): boolean {
  if (message.kind === "turn") return !head.requests.some((request) => request.turnId === message.turnId);
  if (message.kind === "user") return own(head.deliveries, message.messageId) === undefined;
  return message.kind === "notice";
}
