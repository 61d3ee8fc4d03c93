/** How many rows a message will take, about: for the size of a log nobody has looked at. Draws nothing. */
import type { Block, ShownMessage } from "../../transcript/index.ts";
import type { ViewSettings } from "./panel.ts";

/** Words break before the end of a row, and Markdown puts rows between blocks. */
const FILL = 0.85;
const TOOL_ROWS = 5;
const TOOL_ROWS_OPEN = 12;

export function estimateRows(message: ShownMessage, width: number, settings: ViewSettings): number {
  const inner = Math.max(1, width - 2);
  if (message.kind === "user") return 2 + textRows(message.text, inner) + message.attachments.length;
  if (message.kind === "notice") return 2;
  let rows = 2;
  for (const block of message.blocks) rows += blockRows(block, inner, settings);
  return message.end === undefined || message.end.outcome === "completed" ? rows : rows + 2;
}

function blockRows(block: Block, width: number, settings: ViewSettings): number {
  switch (block.kind) {
    case "text":
      return textRows(block.text, width) + 1;
    case "thinking":
      if (settings.thinking === "hidden") return 0;
      return settings.thinking === "folded" ? 1 : textRows(block.text, width) + 1;
    case "tool":
      return settings.isExpanded ? TOOL_ROWS_OPEN : TOOL_ROWS;
    case "plan":
      return block.items.length + 1;
    case "changes":
      return Math.min(block.files.length, 8) + 1;
    default:
      return 1;
  }
}

/** Lines and width alike: many short lines, or few long ones. */
function textRows(text: string, width: number): number {
  let rows = 0;
  let from = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
    rows += Math.max(1, Math.ceil((at - from) / (width * FILL)));
    from = at + 1;
  }
  return rows + Math.max(1, Math.ceil((text.length - from) / (width * FILL)));
}
