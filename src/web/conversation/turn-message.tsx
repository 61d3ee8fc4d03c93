/** A member's turn: who, what it did and said, what goes on now, how it ended. */
import { memo } from "react";
import { isSubagent, phaseOf, turnText, type TurnMessage } from "../../transcript/index.ts";
import { MemberName, useMemberLook } from "../members/member-name.tsx";
import { ReadButton } from "../speech/read-button.tsx";
import type { PageStore } from "../store/page-store.ts";
import { useHead, useStore } from "../store/use-store.ts";
import { costWords, endSign, endWords, originWords, workingWords } from "../words/turn-words.ts";
import { MessageActions } from "./message-actions.tsx";
import { Moment } from "./moment.tsx";
import { TurnBlocks } from "./turn-blocks.tsx";

/** Deeper turns are moved in no further. */
const DEPTH_SHOWN_MAX = 4;

export const TurnView = memo(function TurnView({ turn }: { turn: TurnMessage }) {
  const { hue } = useMemberLook(turn.member);
  const outcome = turn.end?.outcome ?? "open";
  const costs = costWords(turn);
  return (
    <article
      className="message turn"
      aria-label={`${turn.member}${turn.end === undefined ? ", at work" : ""}`}
      aria-busy={turn.end === undefined}
      data-hue={hue}
      data-phase={phaseOf(turn)}
      data-outcome={outcome}
      data-depth={Math.min(turn.depth, DEPTH_SHOWN_MAX)}
    >
      <header>
        <h2>
          <MemberName name={turn.member} />
        </h2>
        {originWords(turn).map((word) => (
          <span key={word} className="badge">
            {word}
          </span>
        ))}
        <Moment ts={turn.ts} />
        <TurnActions turn={turn} />
      </header>
      <TurnBlocks turn={turn} />
      {turn.end === undefined ? <WorkingMark turn={turn} /> : <TurnEnding turn={turn} />}
      {turn.end === undefined || costs.length === 0 ? null : <p className="costs fact">{costs.join(" · ")}</p>}
    </article>
  );
});

/** Stays at the end of the turn through thinking and tools, and goes with it. */
function WorkingMark({ turn }: { turn: TurnMessage }) {
  return (
    <p className="working">
      <span className="dots" aria-hidden="true">
        <span />
        <span />
        <span />
      </span>
      {workingWords(turn)}
    </p>
  );
}

function TurnEnding({ turn }: { turn: TurnMessage }) {
  const words = endWords(turn);
  if (words !== "") {
    return (
      <p className="end" dir="auto">
        <span aria-hidden="true">{endSign(turn)}</span>
        {words}
      </p>
    );
  }
  return turn.blocks.length === 0 ? <p className="aside">Said nothing.</p> : null;
}

function TurnActions({ turn }: { turn: TurnMessage }) {
  const store = useStore();
  // Only turns that answer the newest message can be asked for again.
  const isNewest = useHead(({ latestUser }) => latestUser?.messageId === turn.rootMessageId) ?? false;
  const canRetry = turn.end !== undefined && isNewest && turn.depth === 0;
  return (
    <MessageActions
      seq={turn.seq}
      text={() => turnText(turn)}
      {...(turn.depth === 0 ? { pinId: turn.turnId } : {})}
      {...(turn.end === undefined ? {} : { endSeq: turn.end.seq })}
    >
      <ReadButton turnId={turn.turnId} />
      {isSubagent(turn) ? (
        <button type="button" onClick={() => openPage(store, turn.seq)}>
          Own page
        </button>
      ) : null}
      {canRetry ? (
        <button type="button" onClick={() => void store.wish({ type: "retry", turnId: turn.turnId })}>
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
