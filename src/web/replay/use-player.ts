/** The player of a session: created when its events are read, positioned by the address. */
import { createParser } from "eventsource-parser";
import { useEffect, useRef, useState } from "react";
import type { SessionEvent } from "../../protocol/index.ts";
import { type NextFrame, Player, type PlayerState, Recording, REPLAY_EVENTS_MAX } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";
import type { ReplayStore } from "./replay-store.ts";

/** Playback speeds, and the frame interval. */
export const SPEEDS = [1, 4, 16] as const;

const browserFrame: NextFrame = (draw) => {
  const frame = requestAnimationFrame(draw);
  return () => cancelAnimationFrame(frame);
};

export interface Playing {
  /** Undefined while events are read. */
  readonly player: Player | undefined;
  readonly state: PlayerState | undefined;
  /** Number of events read. */
  readonly loaded: number;
  /** Why events cannot be read; empty without an error. */
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
  // The address named another event while the replay is open: by a link, or by browser history.
  useEffect(() => {
    if (fromSeq !== undefined) player?.goToSeq(fromSeq);
  }, [fromSeq, player]);
  return { player, state, loaded, problem };
}

/** Reads every event of a session from its beginning up to its current end. */
interface ReadEventsOptions {
  readonly ask: (path: string, init: { signal: AbortSignal }) => Promise<Response>;
  readonly sessionId: string;
  /** The current end; later events are not awaited. */
  readonly lastSeq: number;
  readonly signal: AbortSignal;
  /** Called with each batch. */
  readonly onEvents: (events: readonly SessionEvent[]) => void;
}

/** Resolves when all events, or REPLAY_EVENTS_MAX, were passed on. */
async function readEvents(options: ReadEventsOptions): Promise<void> {
  let position: ReadPosition = { seq: 0, count: 0 };
  while (position.seq < options.lastSeq && position.count < REPLAY_EVENTS_MAX) {
    // The server drops a slow reader, which reconnects for the rest.
    const next = await readSome(options, position);
    if (next.seq === position.seq) throw new Error("The server stopped sending events. Open the replay again.");
    position = next;
  }
}

interface ReadPosition {
  readonly seq: number;
  readonly count: number;
}

async function readSome(
  { ask, sessionId, lastSeq, signal, onEvents }: ReadEventsOptions,
  from: ReadPosition,
): Promise<ReadPosition> {
  const answer = await ask(`/v1/sessions/${sessionId}/events?after=${from.seq}`, { signal });
  if (!answer.ok || answer.body === null) throw new Error(`The events could not be fetched (${answer.status}).`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const stream = createStreamReader();
  let { seq, count } = from;
  try {
    while (seq < lastSeq && count < REPLAY_EVENTS_MAX) {
      const { done, value } = await reader.read();
      if (done) break;
      const batch = stream
        .push(value)
        .filter((event) => event.seq <= lastSeq)
        .slice(0, REPLAY_EVENTS_MAX - count);
      count += batch.length;
      seq = batch.at(-1)?.seq ?? seq;
      if (batch.length > 0) onEvents(batch);
    }
  } finally {
    // The stream continues with live events, which are not needed here.
    await reader.cancel().catch(() => {});
  }
  return { seq, count };
}

/** Parses server-sent events from arbitrary chunks; entries without id are not events of the log. */
interface StreamReader {
  /** The events that are complete now. */
  push(text: string): SessionEvent[];
}

function createStreamReader(): StreamReader {
  let complete: SessionEvent[] = [];
  const parser = createParser({
    onEvent({ id, data }) {
      if (id !== undefined) complete.push(JSON.parse(data) as SessionEvent);
    },
  });
  return {
    push(text) {
      complete = [];
      parser.feed(text);
      return complete;
    },
  };
}
