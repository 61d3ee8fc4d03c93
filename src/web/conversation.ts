/**
 * The conversation: header with who sits there, the messages, and a way to older pages. Changes are drawn once a frame.
 * It follows the end only while the end is in view; scrolled up, nothing moves.
 */
import { loadedMessages, membersInOrder, PAGE_SIZE, type ShownMessage, type Transcript } from "../transcript/index.ts";
import { element, setShown, setText } from "./element.ts";
import { followEnd } from "./follow-end.ts";
import { createKeyedList } from "./keyed-list.ts";
import { memberHue } from "./member-hue.ts";
import { createMessageView } from "./message-view.ts";

export interface Conversation {
  readonly node: HTMLElement;
  /** Undefined for a session that does not exist yet. */
  show(transcript: Transcript | undefined): void;
}

export interface ConversationOptions {
  onOlder: () => void;
  /** Said while nothing was. */
  hintText: string;
}

export function createConversation({ onOlder, hintText }: ConversationOptions): Conversation {
  const title = element("h1");
  const members = element("ul", { class: "members", "aria-label": "Members" });
  const older = element("button", { class: "older", type: "button" });
  const log = element("div", { class: "messages", role: "log", "aria-label": "Conversation" });
  const hint = element("p", { class: "hint" }, hintText);
  const scroller = element("div", { class: "scroller", tabindex: "0" }, older, hint, log);
  const node = element(
    "section",
    { class: "conversation" },
    element("header", { class: "bar" }, title, members),
    scroller,
  );
  let list = createKeyedList(log, keyOf, createMessageView);
  let pending: { transcript: Transcript | undefined } | undefined;
  let shownId: string | undefined;
  const end = followEnd(scroller);
  older.addEventListener("click", onOlder);

  function draw(transcript: Transcript | undefined): void {
    const isOther = transcript?.head.sessionId !== shownId;
    if (isOther) {
      shownId = transcript?.head.sessionId;
      log.replaceChildren();
      list = createKeyedList(log, keyOf, createMessageView);
    }
    const fromEnd = scroller.scrollHeight - scroller.scrollTop;
    const messages = transcript === undefined ? [] : [...loadedMessages(transcript)];
    const firstBefore = log.firstChild;
    list.update(messages);
    setText(title, transcript?.head.title ?? "New session");
    members.replaceChildren(...memberItems(transcript));
    setShown(hint, messages.length === 0);
    const missing = transcript?.frozen.filter((page) => page === undefined).length ?? 0;
    setText(older, `Show ${PAGE_SIZE} earlier messages`);
    setShown(older, missing > 0);
    if (isOther || end.isInView()) scroller.scrollTop = scroller.scrollHeight;
    // Older messages came in above: what was in view stays in view.
    else if (log.firstChild !== firstBefore) scroller.scrollTop = scroller.scrollHeight - fromEnd;
  }

  return {
    node,
    show(transcript) {
      if (pending === undefined) {
        requestAnimationFrame(() => {
          const now = pending;
          pending = undefined;
          if (now !== undefined) draw(now.transcript);
        });
      }
      pending = { transcript };
    },
  };
}

function memberItems(transcript: Transcript | undefined): HTMLElement[] {
  if (transcript === undefined) return [];
  return membersInOrder(transcript.head).map((member) => {
    const words = member.muted ? "muted" : member.state === "idle" ? "" : member.state;
    return element(
      "li",
      { "data-hue": String(memberHue(member.name)), "data-state": member.state },
      element("span", { class: "speaker" }, member.name),
      element("span", { class: "fact" }, words),
    );
  });
}

function keyOf(message: ShownMessage): string {
  return message.kind === "turn" ? message.turnId : `${message.kind} ${message.position}`;
}
