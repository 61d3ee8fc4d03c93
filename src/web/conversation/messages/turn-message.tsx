/** A member's turn: header, blocks, current activity, outcome. */
import { memo } from "react";
import {
  describeTurn,
  isSubagent,
  messageAt,
  parentTurn,
  phaseOf,
  turnById,
  turnText,
  type Transcript,
  type TurnMessage,
} from "../../../transcript/index.ts";
import { MemberName, useMemberStyle } from "../../members/member-name.tsx";
import { ReadButton } from "../../speech/speech-buttons.tsx";
import type { PageStore } from "../../store/page-store.ts";
import { useApp, useHead, useStore } from "../../store/use-store.ts";
import { costLabels, endSign, formatTurnEnd, formatActivity } from "../../format/format-turn.ts";
import { FailureDetail, MessageActions, Moment } from "./message-actions.tsx";
import { TurnBlocks } from "../blocks/turn-blocks.tsx";

/** Deeper turns are not indented further. */
const DEPTH_SHOWN_MAX = 4;
/** Maximum depth of subagents examined. */
const FAMILY_MAX = 10;

export const TurnView = memo(function TurnView({ turn }: { turn: TurnMessage }) {
  const { hue } = useMemberStyle(turn.member);
  const origin = useOrigin(turn);
  const isBelow = useApp(({ transcript }) => transcript !== undefined && followsItsOwn(transcript, turn));
  const outcome = turn.end?.outcome ?? "open";
  const costs = costLabels(turn);
  return (
    <article
      className="message turn"
      aria-label={`${turn.member}${turn.end === undefined ? ", at work" : ""}`}
      aria-busy={turn.end === undefined}
      data-hue={hue}
      data-phase={phaseOf(turn)}
      data-outcome={outcome}
      data-depth={isBelow ? Math.min(turn.depth, DEPTH_SHOWN_MAX) : 0}
    >
      <header>
        <h2>
          <MemberName name={turn.member} />
        </h2>
        {origin.map((label) => (
          <span key={label} className="badge">
            {label}
          </span>
        ))}
        <Moment ts={turn.ts} />
      </header>
      <TurnBlocks turn={turn} />
      {turn.end === undefined ? null : <TurnEnding turn={turn} />}
      <footer>
        {turn.end === undefined ? <WorkingMark turn={turn} /> : null}
        {turn.end === undefined || costs.length === 0 ? null : <p className="costs fact">{costs.join(" · ")}</p>}
        <TurnActions turn={turn} />
      </footer>
    </article>
  );
});

/** One string as the selected state, so that only a change of the labels renders the turn again. */
function useOrigin(turn: TurnMessage): string[] {
  const labels = useApp(({ transcript }) => {
    const parent = transcript === undefined ? undefined : parentTurn(turn, transcript);
    return describeTurn(turn, parent).origin.join("\n");
  });
  return labels === "" ? [] : labels.split("\n");
}

/** Indentation reads as part of the turn above: only below its parent, or another child of it. */
function followsItsOwn(transcript: Transcript, { position, depth, parentTurnId }: TurnMessage): boolean {
  if (depth === 0) return true;
  const above = messageAt(transcript, position - 1);
  return above?.kind === "turn" && (above.turnId === parentTurnId || isOfFamily(transcript, above, parentTurnId));
}

function isOfFamily(transcript: Transcript, { parentTurnId }: TurnMessage, wanted: string | undefined): boolean {
  for (let id = parentTurnId, steps = 0; id !== undefined && steps < FAMILY_MAX; steps += 1) {
    if (id === wanted) return true;
    id = turnById(transcript, id)?.parentTurnId;
  }
  return false;
}

/** Stays at the end of the turn while it runs. */
function WorkingMark({ turn }: { turn: TurnMessage }) {
  return (
    <p className="working">
      <span className="dots" aria-hidden="true">
        <span />
        <span />
        <span />
      </span>
      {formatActivity(turn)}
    </p>
  );
}

function TurnEnding({ turn }: { turn: TurnMessage }) {
  const text = formatTurnEnd(turn);
  if (text !== "") {
    return (
      <p className="end" dir="auto">
        <span aria-hidden="true">{endSign(turn)}</span>
        {text}
        <FailureDetail turn={turn} />
      </p>
    );
  }
  return turn.blocks.length === 0 ? <p className="aside">Said nothing.</p> : null;
}

function TurnActions({ turn }: { turn: TurnMessage }) {
  const store = useStore();
  // Only turns that answer the newest message can be retried.
  const isNewest = useHead(({ latestUser }) => latestUser?.messageId === turn.rootMessageId) ?? false;
  const canRetry = turn.end !== undefined && isNewest && turn.depth === 0;
  return (
    <MessageActions
      seq={turn.seq}
      text={() => turnText(turn)}
      {...(turn.depth === 0 ? { pinId: turn.turnId } : {})}
      {...(turn.end === undefined ? {} : { endSeq: turn.end.seq })}
      more={isSubagent(turn) ? [{ label: "Own page", onChoose: () => openPage(store, turn.seq) }] : []}
    >
      <ReadButton turnId={turn.turnId} />
      {canRetry ? (
        <button type="button" onClick={() => void store.tryCommand({ type: "retry", turnId: turn.turnId })}>
          Retry
        </button>
      ) : null}
    </MessageActions>
  );
}

function openPage(store: PageStore, seq: number): void {
  const { sessionId } = store.getState();
  if (sessionId !== undefined) store.goTo({ sessionId, seq, view: "agent" });
}
