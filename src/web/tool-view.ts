/** One tool call: what it is, how it stands in words and style, and its output on demand. */
import { shownOutput, type ToolBlock } from "../transcript/index.ts";
import { element, setShown, setText } from "./element.ts";
import type { View } from "./keyed-list.ts";
import { seconds } from "./words.ts";

/** A title may be a whole command; the rest of it is in the arguments below. */
const TITLE_CHARS_MAX = 160;

const WORDS = {
  pending: "running",
  success: "done",
  error: "failed",
  interrupted: "interrupted",
  truncated: "done, output cut",
  "agent-callback": "answered by a member",
} as const satisfies Record<ToolBlock["state"], string>;

export function createToolView(): View<ToolBlock> {
  const title = element("span", { class: "tool-title" });
  const state = element("span", { class: "tool-state" });
  const output = element("pre", { class: "tool-output", tabindex: "0" });
  const node = element("details", { class: "tool" }, element("summary", {}, title, state), output);
  return {
    node,
    update(tool) {
      node.dataset["state"] = tool.state;
      setText(title, titleOf(tool));
      const took = tool.durationMs === undefined ? "" : ` · ${seconds(tool.durationMs)}`;
      setText(state, WORDS[tool.state] + took);
      const text = bodyOf(tool);
      setText(output, text);
      setShown(output, text !== "");
    },
  };
}

function titleOf({ title, name, args }: ToolBlock): string {
  const text = title ?? `${name} ${args === null ? "" : JSON.stringify(args)}`;
  return text.length > TITLE_CHARS_MAX ? `${text.slice(0, TITLE_CHARS_MAX - 1)}…` : text;
}

function bodyOf(tool: ToolBlock): string {
  const { text, dropped } = shownOutput(tool);
  const parts = [
    dropped > 0 ? `… ${dropped} characters before this\n` : "",
    text,
    tool.result ?? "",
    tool.error === undefined ? "" : tool.error.message,
    tool.diff ?? "",
  ];
  return parts.filter((part) => part !== "").join("\n");
}
