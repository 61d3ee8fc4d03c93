/**
 * A past session drawn by the very views of the live one, at any of its events. What happens live meanwhile is said and
 * waits; Escape leads back to it.
 */
import { useEffect, useState } from "react";
import { CompareDialog } from "../compare/compare-dialog.tsx";
import { ConversationLog } from "../conversation/conversation-log.tsx";
import { StoreContext, useApp, useStore } from "../store/use-store.ts";
import { plural } from "../words/amounts.ts";
import { Player, type PlayerState } from "./player.ts";
import { readEvents } from "./read-events.ts";
import { Recording } from "./recording.ts";
import { ReplayBar } from "./replay-bar.tsx";
import { createReplayStore } from "./replay-store.ts";

export function ReplayView({ onLeave }: { onLeave: () => void }) {
  const live = useStore();
  const [replay] = useState(() => createReplayStore(live));
  const [loaded, setLoaded] = useState(0);
  const [problem, setProblem] = useState("");
  const [player, setPlayer] = useState<Player>();
  const [state, setState] = useState<PlayerState>();
  useEffect(() => {
    const { transcript, sessionId } = live.getState();
    if (transcript === undefined || sessionId === undefined) return undefined;
    const recording = new Recording(sessionId);
    const stop = new AbortController();
    let made: Player | undefined;
    const onEvents: Parameters<typeof readEvents>[0]["onEvents"] = (events) => {
      recording.add(events);
      setLoaded(recording.length);
    };
    const { seq: lastSeq } = transcript.head;
    const ask = (path: string, init: { signal: AbortSignal }) => live.ask(path, init);
    readEvents({ ask, sessionId, lastSeq, signal: stop.signal, onEvents }).then(
      () => {
        if (stop.signal.aborted) return;
        made = new Player(recording, (next) => {
          replay.show(recording.transcriptAt(next.step));
          setState(next);
        });
        made.goTo(recording.length);
        setPlayer(made);
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      stop.abort();
      made?.pause();
    };
  }, [live, replay]);
  const total = useApp(({ transcript }) => transcript?.head.seq) ?? 0;
  return (
    <section className="replay" aria-label="Replay">
      <StoreContext value={replay.store}>
        {player === undefined ? (
          <p className="hint" role="status">
            {problem === "" ? `Reading ${loaded.toLocaleString("en")} of ${plural(total, "event")}…` : problem}
          </p>
        ) : (
          <ConversationLog />
        )}
        <CompareDialog />
        <ReplayProblem />
      </StoreContext>
      <ReplayBar player={player} state={state} onLeave={onLeave} />
    </section>
  );
}

/** What a row of the replay could not do, or did. */
function ReplayProblem() {
  const problem = useApp((state) => state.problem);
  const note = useApp((state) => state.note);
  if (problem !== "")
    return (
      <p className="problem" role="alert">
        {problem}
      </p>
    );
  return note === "" ? null : (
    <p className="fact replay-note" role="status">
      {note}
    </p>
  );
}
