/** The blocks of a turn in the order they came; tool calls in a row are one group. */
import { memo } from "react";
import { isKnownEvent } from "../../../protocol/index.ts";
import { keyedBlocks, type Block, type ToolBlock, type TurnMessage } from "../../../transcript/index.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { formatEvent } from "../../format/format-event.ts";
import { inOrder } from "../../format/plain-sight.ts";
import { formatAnswerer, formatRequest } from "../../format/format-request.ts";
import { CompactionView } from "./compaction-view.tsx";
import { Collapsible } from "./collapsible.tsx";
import { PlanView } from "./plan-block.tsx";
import { ToolGroup } from "./tool-group.tsx";
import { ChangesView, ExchangeView, FinishedView, SubagentView } from "./work-blocks.tsx";

type Entry =
  | { readonly key: string; readonly tools: readonly ToolBlock[] }
  | { readonly key: string; readonly block: Exclude<Block, ToolBlock> };

export const TurnBlocks = memo(function TurnBlocks({ turn }: { turn: TurnMessage }) {
  return (
    <div className="blocks">
      {entriesOf(turn.blocks).map((entry) =>
        "tools" in entry ? (
          <ToolGroup key={entry.key} tools={entry.tools} turn={turn} />
        ) : (
          <OneBlock key={entry.key} id={`${turn.turnId} ${entry.key}`} block={entry.block} turn={turn} />
        ),
      )}
    </div>
  );
});

function entriesOf(blocks: readonly Block[]): Entry[] {
  const entries: Entry[] = [];
  for (const { key, block } of keyedBlocks(blocks)) {
    if (block.kind !== "tool") {
      entries.push({ key, block });
      continue;
    }
    const last = entries.at(-1);
    if (last !== undefined && "tools" in last) entries[entries.length - 1] = { ...last, tools: [...last.tools, block] };
    else entries.push({ key, tools: [block] });
  }
  return entries;
}

interface OneBlockProps {
  readonly id: string;
  readonly block: Exclude<Block, ToolBlock>;
  readonly turn: TurnMessage;
}

function OneBlock({ id, block, turn }: OneBlockProps) {
  switch (block.kind) {
    case "text":
      return <Markdown text={block.text} isOpen={!block.done && turn.end === undefined} />;
    case "thinking":
      return (
        <Collapsible
          id={id}
          className="thought"
          summary={block.done || turn.end !== undefined ? "Thought" : "Thinking…"}
        >
          <div className="thought-text" dir="auto">
            {inOrder(block.text.trim())}
          </div>
        </Collapsible>
      );
    case "plan":
      return <PlanView plan={block} />;
    case "changes":
      return <ChangesView changes={block} id={id} />;
    case "finished":
      return <FinishedView summary={block.summary} />;
    case "exchange":
      return <ExchangeView exchange={block} />;
    case "subagent":
      return <SubagentView subagent={block} />;
    case "request":
      return (
        <p className="aside" data-request={block.state} title={formatAnswerer(block)} dir="auto">
          {formatRequest(block)}
        </p>
      );
    case "steering":
      return <p className="aside">↪ A message of yours went into this turn.</p>;
    default:
      if (isKnownEvent(block.event) && block.event.type === "compaction") {
        return <CompactionView compaction={block.event} className="compacted" />;
      }
      return (
        <p className="aside" dir="auto">
          {formatEvent(block.event)}
        </p>
      );
  }
}
