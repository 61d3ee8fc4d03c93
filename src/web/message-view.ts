/** One message of the conversation: the user's, a member's turn, or a notice. */
import {
  keyedBlocks,
  phaseOf,
  type Block,
  type Notice,
  type ShownMessage,
  type TurnMessage,
  type UserMessage,
} from "../transcript/index.ts";
import { createBlockView } from "./block-view.ts";
import { element, setShown, setText } from "./element.ts";
import { createKeyedList, type View } from "./keyed-list.ts";
import { memberHue } from "./member-hue.ts";
import { createTextView } from "./text-view.ts";
import { endWords, eventWords, seconds } from "./words.ts";

export function createMessageView(message: ShownMessage): View<ShownMessage> {
  switch (message.kind) {
    case "user":
      return narrow(createUserView(), (one) => (one.kind === "user" ? one : undefined));
    case "turn":
      return narrow(createTurnView(), (one) => (one.kind === "turn" ? one : undefined));
    default:
      return narrow(createNoticeView(), (one) => (one.kind === "notice" ? one : undefined));
  }
}

function narrow<Item>(view: View<Item>, pick: (message: ShownMessage) => Item | undefined): View<ShownMessage> {
  return {
    node: view.node,
    update(message) {
      const item = pick(message);
      if (item !== undefined) view.update(item);
    },
  };
}

function createUserView(): View<UserMessage> {
  const to = element("span", { class: "fact" });
  const text = createTextView("text");
  const node = element(
    "article",
    { class: "message user" },
    element("header", {}, element("span", { class: "speaker" }, "you"), to),
    text.node,
  );
  return {
    node,
    update(message) {
      setText(to, message.toAll ? "" : `to ${message.to.map((name) => `@${name}`).join(" ")}`);
      const names = message.attachments.map((one) => one.name);
      text.update(names.length === 0 ? message.text : `${message.text}\n\nAttached: ${names.join(", ")}`);
    },
  };
}

function createTurnView(): View<TurnMessage> {
  const speaker = element("span", { class: "speaker" });
  const facts = element("span", { class: "fact" });
  const phase = element("span", { class: "phase" });
  const blocks = element("div", { class: "blocks" });
  const end = element("p", { class: "end" });
  const node = element("article", { class: "message turn" }, element("header", {}, speaker, facts, phase), blocks, end);
  const list = createKeyedList<{ key: string; block: Block }>(
    blocks,
    ({ key }) => key,
    ({ block }) => {
      const view = createBlockView(block);
      return { node: view.node, update: (item) => view.update(item.block) };
    },
  );
  return {
    node,
    update(turn) {
      node.dataset["hue"] = String(memberHue(turn.member));
      node.dataset["phase"] = phaseOf(turn);
      node.dataset["outcome"] = turn.end?.outcome ?? "open";
      node.setAttribute("aria-busy", String(turn.end === undefined));
      setText(speaker, turn.member);
      setText(facts, factsOf(turn));
      setText(phase, turn.end === undefined ? phaseWords(turn) : "");
      list.update(keyedBlocks(turn.blocks));
      const words = endWords(turn);
      setText(end, words);
      setShown(end, words !== "");
    },
  };
}

function factsOf(turn: TurnMessage): string {
  return [
    ...(turn.depth > 0 ? ["subagent"] : []),
    ...((turn.round ?? 1) > 1 ? [`round ${turn.round}`] : []),
    ...(turn.replaced.length > 0 ? ["again"] : []),
    ...(turn.end === undefined ? [] : [seconds(turn.end.durationMs)]),
  ].join(" · ");
}

function phaseWords(turn: TurnMessage): string {
  const phase = phaseOf(turn);
  const detail = turn.status?.detail;
  return phase === "working" && detail !== undefined ? `working · ${detail}` : phase;
}

function createNoticeView(): View<Notice> {
  const node = element("p", { class: "message notice" });
  return { node, update: (notice) => setText(node, eventWords(notice.event)) };
}
