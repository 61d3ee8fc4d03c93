/** What a compaction kept of a member's context; the summary replaces the rest for the member. */
import type { EventOf } from "../../../protocol/index.ts";
import { formatCompaction } from "../../../transcript/index.ts";
import { formatEvent } from "../../format/format-turn.ts";
import { inOrder } from "../../format/plain-sight.ts";
import { Collapsible } from "./collapsible.tsx";

export interface CompactionViewProps {
  readonly compaction: EventOf<"compaction">;
  readonly className: string;
}

export function CompactionView({ compaction, className }: CompactionViewProps) {
  return (
    <Collapsible
      id={`compaction ${compaction.id}`}
      className={className}
      summary={<span dir="auto">{formatEvent(compaction)}</span>}
    >
      <p className="compaction" dir="auto">
        {inOrder(formatCompaction(compaction))}
      </p>
    </Collapsible>
  );
}
