/** The player of a session: made when its events are read, standing where the address says. */
import { useEffect, useRef, useState } from "react";
import type { SessionEvent } from "../../protocol/index.ts";
import { Player, Recording, type PlayerState } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";
import { readEvents } from "./read-events.ts";
import type { ReplayStore } from "./replay-store.ts";
import { browserFrame } from "./speeds.ts";

export interface Playing {
  /** Undefined while events are read. */
  readonly player: Player | undefined;
  readonly state: PlayerState | undefined;
  /** How many were read. */
  readonly loaded: number;
  /** Why they cannot be read; empty when nothing is wrong. */
  readonly problem: string;
}

export function usePlayer(live: PageStore, replay: ReplayStore, fromSeq: number | undefined): Playing {
  const [loaded, setLoaded] = useState(0);
  const [problem, setProblem] = useState("");
  const [player, setPlayer] = useState<Player>();
  const [state, setState] = useState<PlayerState>();
  const first = useRef(fromSeq);
  useEffect(() => {
    const { transcript, sessionId } = live.getState();
    if (transcript === undefined || sessionId === undefined) return undefined;
    const recording = new Recording(sessionId);
    const stop = new AbortController();
    let made: Player | undefined;
    const onEvents = (events: readonly SessionEvent[]): void => {
      recording.add(events);
      setLoaded(recording.length);
    };
    const { seq: lastSeq } = transcript.head;
    const ask = (path: string, init: { signal: AbortSignal }) => live.ask(path, init);
    readEvents({ ask, sessionId, lastSeq, signal: stop.signal, onEvents }).then(
      () => {
        if (stop.signal.aborted) return;
        const onChange = (next: PlayerState): void => {
          replay.show(recording.transcriptAt(next.step));
          setState(next);
        };
        made = new Player({ recording, onChange, nextFrame: browserFrame });
        made.goToSeq(first.current ?? lastSeq);
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
  // Another event is named while the replay is open: by a link, or by going back in the browser.
  useEffect(() => {
    if (fromSeq !== undefined) player?.goToSeq(fromSeq);
  }, [fromSeq, player]);
  return { player, state, loaded, problem };
}
