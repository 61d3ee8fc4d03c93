/** Turns of a round that add nothing, as one line that opens to them. A link to one of them opens it too. */
import { memo, useState } from "react";
import { quietCost, formatQuietRun, type TurnMessage } from "../../../transcript/index.ts";
import { parseRoute } from "../../store/route.ts";
import { useApp } from "../../store/use-store.ts";
import { costLabels } from "../../format/format-turn.ts";
import { Collapsible } from "../blocks/collapsible.tsx";
import { TurnView } from "./turn-message.tsx";

export const QuietTurns = memo(function QuietTurns({ turns }: { turns: readonly TurnMessage[] }) {
  const isNamed = useNamed(turns);
  const [first] = turns;
  if (first === undefined) return null;
  const { durationMs, usage } = quietCost(turns);
  const cost = costLabels({ end: { durationMs }, ...(usage === undefined ? {} : { usage }) });
  const facts = [formatQuietRun(turns), `round ${first.round}`, ...cost];
  return (
    <Collapsible
      id={`quiet ${first.turnId}`}
      className="quiet-turns"
      isOpenAtFirst={isNamed}
      summary={<span dir="auto">{facts.join(" · ")}</span>}
    >
      {turns.map((turn) => (
        <TurnView key={turn.turnId} turn={turn} />
      ))}
    </Collapsible>
  );
});

/** True from when the address named one of the turns on. It may have done so before this was drawn. */
function useNamed(turns: readonly TurnMessage[]): boolean {
  const [isNamed, setNamed] = useState(() => {
    const { seq, view } = parseRoute(location.hash);
    return view === undefined && holds(turns, seq);
  });
  const isTarget = useApp(({ targetSeq }) => holds(turns, targetSeq));
  if (isTarget && !isNamed) setNamed(true);
  return isNamed;
}

function holds(turns: readonly TurnMessage[], seq: number | undefined): boolean {
  return seq !== undefined && turns.some(({ seq: from, end }) => from <= seq && seq <= (end?.seq ?? from));
}
