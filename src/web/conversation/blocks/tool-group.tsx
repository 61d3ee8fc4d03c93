/** Tool calls in a row, as one line that opens: "Read 3 files, ran 2 commands · 4 s". Open while they run. */
import { isDenied, type ToolBlock, type TurnMessage } from "../../../transcript/index.ts";
import { formatToolGroup } from "../../format/format-turn.ts";
import { Collapsible } from "./collapsible.tsx";
import { ToolView } from "./tool-block.tsx";

export function ToolGroup({ tools, turn }: { tools: readonly ToolBlock[]; turn: TurnMessage }) {
  const [first] = tools;
  if (first === undefined) return null;
  if (tools.length === 1) return <ToolView tool={first} />;
  return (
    <Collapsible
      id={`tools ${first.toolCallId}`}
      className="tool-group"
      isOpenAtFirst={turn.end === undefined}
      state={groupState(tools)}
      summary={<span className="tool-group-words">{formatToolGroup(tools, turn)}</span>}
    >
      {tools.map((tool) => (
        <ToolView key={tool.toolCallId} tool={tool} />
      ))}
    </Collapsible>
  );
}

function groupState(tools: readonly ToolBlock[]): ToolBlock["state"] {
  for (const state of ["pending", "error", "interrupted"] as const) {
    if (tools.some((tool) => tool.state === state && !isDenied(tool))) return state;
  }
  return "success";
}
