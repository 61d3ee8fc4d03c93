/** One column an answer; where there is no room for columns, one answer and a tab for each. */
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { turnText, type TurnMessage } from "../../transcript/index.ts";
import { FailureDetail } from "../conversation/messages/failure-detail.tsx";
import { MessageActions } from "../conversation/messages/message-actions.tsx";
import { TurnBlocks } from "../conversation/blocks/turn-blocks.tsx";
import { MemberName, useMemberStyle } from "../members/member-name.tsx";
import { costLabels, endSign, formatTurnEnd, formatActivity } from "../format/format-turn.ts";

export function CompareColumns({ turns }: { turns: readonly TurnMessage[] }) {
  const id = useId();
  const [chosen, setChosen] = useState<string>();
  const shown = turns.some(({ member }) => member === chosen) ? chosen : turns[0]?.member;
  return (
    <>
      <MemberTabs id={id} turns={turns} shown={shown} onChoose={setChosen} />
      <div className="compare-columns" style={{ gridTemplateColumns: `repeat(${turns.length}, minmax(18rem, 1fr))` }}>
        {turns.map((turn) => (
          <Column key={turn.member} id={`${id}-${turn.member}`} turn={turn} isShown={turn.member === shown} />
        ))}
      </div>
    </>
  );
}

interface MemberTabsProps {
  readonly id: string;
  readonly turns: readonly TurnMessage[];
  readonly shown: string | undefined;
  readonly onChoose: (member: string) => void;
}

/** Drawn on narrow screens only; beside columns there is nothing to choose. */
function MemberTabs({ id, turns, shown, onChoose }: MemberTabsProps) {
  const list = useRef<HTMLDivElement>(null);
  function key(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = turns.findIndex(({ member }) => member === shown);
    const next = turns[(at + step + turns.length) % turns.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.member);
    list.current?.querySelector<HTMLElement>(`[data-member="${next.member}"]`)?.focus();
  }
  return (
    <div className="compare-tabs" role="tablist" aria-label="Members" ref={list} onKeyDown={key}>
      {turns.map(({ member }) => (
        <button
          key={member}
          type="button"
          role="tab"
          data-member={member}
          aria-selected={member === shown}
          aria-controls={`${id}-${member}`}
          tabIndex={member === shown ? 0 : -1}
          onClick={() => onChoose(member)}
        >
          <MemberName name={member} />
        </button>
      ))}
    </div>
  );
}

function Column({ id, turn, isShown }: { id: string; turn: TurnMessage; isShown: boolean }) {
  const { hue } = useMemberStyle(turn.member);
  const ending = formatTurnEnd(turn);
  const costs = costLabels(turn);
  return (
    <section
      id={id}
      className="compare-column"
      aria-label={turn.member}
      aria-busy={turn.end === undefined}
      tabIndex={0}
      data-hue={hue}
      data-shown={isShown}
      data-outcome={turn.end?.outcome ?? "open"}
    >
      <header>
        <MemberName name={turn.member} />
      </header>
      <TurnBlocks turn={turn} />
      {turn.end === undefined ? <p className="fact">{formatActivity(turn)}…</p> : null}
      {ending === "" ? null : (
        <p className="end" dir="auto">
          <span aria-hidden="true">{endSign(turn)}</span>
          {ending}
          <FailureDetail turn={turn} />
        </p>
      )}
      <footer>
        {turn.end !== undefined && costs.length > 0 ? <p className="costs fact">{costs.join(" · ")}</p> : null}
        <MessageActions seq={turn.seq} text={() => turnText(turn)} />
      </footer>
    </section>
  );
}
