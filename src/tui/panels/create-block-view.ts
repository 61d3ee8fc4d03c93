/** The view for each kind of block. */
import type { Block } from "../../transcript/index.ts";
import { exchangeDrawing, steeringDrawing, subagentDrawing } from "./agent-blocks.ts";
import { DrawnBlock, type BlockView } from "./block-view.ts";
import { eventDrawing } from "./event-rows.ts";
import type { PanelContext } from "./panel.ts";
import { requestDrawing } from "./request-block.ts";
import { TextView } from "./text-block.ts";
import { ThinkingView } from "./thinking-block.ts";
import { toolDrawing } from "./tool-block.ts";
import { changesDrawing, finishedDrawing, planDrawing } from "./work-blocks.ts";

export function createBlockView(block: Block, context: PanelContext): BlockView {
  switch (block.kind) {
    case "text":
      return new TextView(block, context);
    case "thinking":
      return new ThinkingView(block, context);
    case "tool":
      return new DrawnBlock(toolDrawing, block, context);
    case "request":
      return new DrawnBlock(requestDrawing, block, context);
    case "exchange":
      return new DrawnBlock(exchangeDrawing, block, context);
    case "subagent":
      return new DrawnBlock(subagentDrawing, block, context);
    case "steering":
      return new DrawnBlock(steeringDrawing, block, context);
    case "plan":
      return new DrawnBlock(planDrawing, block, context);
    case "changes":
      return new DrawnBlock(changesDrawing, block, context);
    case "finished":
      return new DrawnBlock(finishedDrawing, block, context);
    default:
      return new DrawnBlock(eventDrawing, block, context);
  }
}
