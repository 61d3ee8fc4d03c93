/** The members' answers to one message beside each other, round by round, also while they still speak. */
import { useEffect, useMemo, useRef, useState } from "react";
import { PAGE_SIZE, type UserMessage } from "../../transcript/index.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { answersOf, type ComparedRound } from "./answers-of.ts";
import { CompareColumns } from "./compare-columns.tsx";

/** Answers that are further on than the pages after the message are not fetched for it. */
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
      // What is pressed here is for the dialog alone.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2 dir="auto">{compared?.message.text ?? ""}</h2>
        {rounds.length < 2 ? null : <RoundChoice rounds={rounds} shown={shown?.round ?? 1} onChoose={setWanted} />}
        <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
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

/** Answers may be on pages that are not in memory. */
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
