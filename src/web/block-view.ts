/** One block of a turn: text, a thought, a tool call, or a line about anything else. */
import type { Block } from "../transcript/index.ts";
import { element, setText } from "./element.ts";
import type { View } from "./keyed-list.ts";
import { createTextView } from "./text-view.ts";
import { createToolView } from "./tool-view.ts";
import { blockWords } from "./words.ts";

export function createBlockView(first: Block): View<Block> {
  switch (first.kind) {
    case "text": {
      const text = createTextView("text");
      return { node: text.node, update: (block) => block.kind === "text" && text.update(block.text) };
    }
    case "thinking": {
      const text = createTextView("thought-text");
      const summary = element("summary");
      const node = element("details", { class: "thought" }, summary, text.node);
      return {
        node,
        update(block) {
          if (block.kind !== "thinking") return;
          setText(summary, block.done ? "Thought" : "Thinking…");
          text.update(block.text);
        },
      };
    }
    case "tool": {
      const tool = createToolView();
      return { node: tool.node, update: (block) => block.kind === "tool" && tool.update(block) };
    }
    default: {
      const text = createTextView("aside");
      return {
        node: text.node,
        update(block) {
          if (block.kind !== "text" && block.kind !== "thinking" && block.kind !== "tool")
            text.update(blockWords(block));
        },
      };
    }
  }
}

/** Stays the same while the turn grows; a segment that is interrupted by a tool call has several blocks. */
export function blockKeys(blocks: readonly Block[]): { key: string; block: Block }[] {
  const counts = new Map<string, number>();
  return blocks.map((block) => {
    const id = blockId(block);
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return { key: `${id}/${count}`, block };
  });
}

function blockId(block: Block): string {
  switch (block.kind) {
    case "text":
    case "thinking":
      return `${block.kind} ${block.segmentId}`;
    case "tool":
      return `tool ${block.toolCallId}`;
    case "request":
      return `request ${block.requestId}`;
    case "exchange":
      return `exchange ${block.agentExchangeId}`;
    case "subagent":
      return `subagent ${block.subagentTurnId}`;
    case "plan":
      return `plan ${block.planId}`;
    case "event":
      return `event ${block.event.id}`;
    default:
      return block.kind;
  }
}
