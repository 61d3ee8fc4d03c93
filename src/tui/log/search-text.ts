/** What a search looks at in a message: the words that its panel always shows. */
import { eventLine, type Block, type ShownMessage } from "../../transcript/index.ts";
import { isSilent } from "../panels/event-rows.ts";

export function searchText(message: ShownMessage): string {
  if (message.kind === "user") return message.text;
  if (message.kind === "notice") return isSilent(message.event) ? "" : eventLine(message.event);
  return message.blocks.map(blockText).join("\n");
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "tool":
      return block.title ?? block.name;
    case "exchange":
      return block.answer === undefined ? block.text : `${block.text}\n${block.answer.text}`;
    case "subagent":
      return block.text === undefined ? block.task : `${block.task}\n${block.text}`;
    case "finished":
      return block.summary;
    case "plan":
      return block.items.map((item) => item.text).join("\n");
    case "changes":
      return block.files.map((file) => file.path).join("\n");
    case "request":
    case "thinking":
    case "steering":
    case "event":
      return "";
    default:
      return "";
  }
}
