/** The members' answers to one message side by side, by round, also while they stream. */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import {
  messageAt,
  PAGE_SIZE,
  type Transcript,
  type TurnMessage,
  turnText,
  type UserMessage,
} from "../../transcript/index.ts";
import { TurnBlocks } from "../conversation/blocks/turn-blocks.tsx";
import { FailureDetail, MessageActions } from "../conversation/messages/message-actions.tsx";
import { costLabels, endSign, formatActivity, formatTurnEnd } from "../format/format-turn.ts";
import { MemberName, useMemberStyle } from "../members/member-name.tsx";
import { useApp, useStore } from "../store/use-store.ts";

/** Maximum distance of answers from their message. */
const LOOKED_AT_MAX = 1_024;

/** Pages after the message that are fetched for answers. */
const PAGES_AFTER = 2;

export function CompareDialog() {
  const messageId = useApp((state) => state.comparing);
  return messageId === undefined ? null : <OpenDialog key={messageId} messageId={messageId} />;
}

function OpenDialog({ messageId }: { messageId: string }) {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const transcript = useApp((state) => state.transcript);
  const compared = useMemo(
    () => (transcript === undefined ? undefined : answersOf(transcript, messageId)),
    [transcript, messageId],
  );
  useEffect(() => dialog.current?.showModal(), []);
  usePages(compared?.message);
  const [wanted, setWanted] = useState<number>();
  const rounds = compared?.rounds ?? [];
  const shown = rounds.find(({ round }) => round === wanted) ?? rounds[0];
  return (
    <dialog
      ref={dialog}
      className="compare"
      aria-label="Answers side by side"
      onClose={() => store.compare()}
      // Keys here are for the dialog only.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2 dir="auto">{compared?.message.text ?? ""}</h2>
        {rounds.length < 2 ? null : <RoundChoice rounds={rounds} shown={shown?.round ?? 1} onChoose={setWanted} />}
        <button type="button" className="btn sm quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {shown === undefined ? <p className="hint">Nobody has answered yet.</p> : <CompareColumns turns={shown.turns} />}
    </dialog>
  );
}

interface RoundChoiceProps {
  readonly rounds: readonly ComparedRound[];
  readonly shown: number;
  readonly onChoose: (round: number) => void;
}

function RoundChoice({ rounds, shown, onChoose }: RoundChoiceProps) {
  return (
    <span className="compare-rounds" role="group" aria-label="Round">
      {rounds.map(({ round }) => (
        <button key={round} type="button" aria-pressed={round === shown} onClick={() => onChoose(round)}>
          Round {round}
        </button>
      ))}
    </span>
  );
}

/** Loads the pages that may contain answers. */
function usePages(message: UserMessage | undefined): void {
  const store = useStore();
  const position = message?.position;
  useEffect(() => {
    if (position === undefined) return;
    const first = Math.floor(position / PAGE_SIZE);
    const pages = Array.from({ length: PAGES_AFTER + 1 }, (_, at) => first + at);
    void store.guarded(async () => void (await Promise.all(pages.map((page) => store.loadPage(page)))));
  }, [store, position]);
}

/** The answers to one message in one round. */
interface ComparedRound {
  readonly round: number;
  /** In order of their start; of retries the last. */
  readonly turns: readonly TurnMessage[];
}

interface Compared {
  readonly message: UserMessage;
  readonly rounds: readonly ComparedRound[];
}

/** Undefined while the message is not in memory. */
function answersOf(transcript: Transcript, messageId: string): Compared | undefined {
  const message = findMessage(transcript, messageId);
  if (message === undefined) return undefined;
  const rounds = new Map<number, Map<string, TurnMessage>>();
  const end = Math.min(transcript.head.messageCount, message.position + LOOKED_AT_MAX);
  for (let position = message.position + 1; position < end; position += 1) {
    const turn = messageAt(transcript, position);
    if (turn?.kind !== "turn" || turn.rootMessageId !== messageId || !isAnswer(turn)) continue;
    const turns = rounds.get(turn.round ?? 1) ?? new Map<string, TurnMessage>();
    rounds.set(turn.round ?? 1, turns.set(turn.member, turn));
  }
  const ordered = [...rounds].sort(([a], [b]) => a - b);
  return { message, rounds: ordered.map(([round, turns]) => ({ round, turns: [...turns.values()] })) };
}

/** Exchanges between members and subagents are no answers. */
function isAnswer({ depth, cause }: TurnMessage): boolean {
  return depth === 0 && cause !== "exchange" && cause !== "minutes" && cause !== "subagent";
}

function findMessage(transcript: Transcript, messageId: string): UserMessage | undefined {
  for (let position = transcript.head.messageCount - 1; position >= 0; position -= 1) {
    const message = messageAt(transcript, position);
    if (message?.kind === "user" && message.messageId === messageId) return message;
  }
  return undefined;
}

/** One column per answer; on narrow screens one answer with tabs. */
function CompareColumns({ turns }: { turns: readonly TurnMessage[] }) {
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

/** On narrow screens only. */
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
