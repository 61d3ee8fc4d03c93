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
