/**
 * A common beat for whatever may wait a little: the pipes of agents that trickle and the joining of small pieces. A wake
 * costs a process more than what it then has to do, so all of them wake together.
 */
import { systemClock, type Clock } from "./clock.ts";

export const BEAT_MS = 100;
/** Timers come a hair early; what they bring belongs to the beat that they were set for. */
const EARLY_MS = 2;

export interface Beat {
  /** The number of the present beat. */
  readonly count: number;
  /** Calls back once when the next beat begins; the returned function cancels. */
  begin(callback: () => void): () => void;
  /** The same, when what others have begun to read with that beat has come in. */
  gather(callback: () => void): () => void;
}

const beats = new WeakMap<Clock, Beat>();

/** Everybody who goes by this clock has the same beat. */
export function beatOf(clock: Clock): Beat {
  const known = beats.get(clock);
  if (known !== undefined) return known;
  // A clock that a test moves by hand stands still meanwhile: there is nothing to wait for.
  const beat = createBeat(clock, clock === systemClock ? (gather) => void setImmediate(gather) : (gather) => gather());
  beats.set(clock, beat);
  return beat;
}

interface Waiting {
  readonly callback: () => void;
}

function createBeat(clock: Clock, whenReadIn: (gather: () => void) => void): Beat {
  let beginners = new Set<Waiting>();
  let gatherers = new Set<Waiting>();
  let cancel: (() => void) | undefined;
  const count = (): number => Math.floor((clock.monotonic() + EARLY_MS) / BEAT_MS);
  const waitMs = (): number => Math.ceil((count() + 1) * BEAT_MS - clock.monotonic());

  function strike(): void {
    cancel = undefined;
    const [first, then] = [beginners, gatherers];
    [beginners, gatherers] = [new Set(), new Set()];
    for (const { callback } of first) callback();
    if (then.size > 0) whenReadIn(() => then.forEach(({ callback }) => callback()));
  }

  function wait(waiting: Set<Waiting>, callback: () => void): () => void {
    const entry = { callback };
    waiting.add(entry);
    cancel ??= clock.after(waitMs(), strike);
    return () => {
      waiting.delete(entry);
      if (beginners.size + gatherers.size > 0) return;
      cancel?.();
      cancel = undefined;
    };
  }

  return {
    get count() {
      return count();
    },
    begin: (callback) => wait(beginners, callback),
    gather: (callback) => wait(gatherers, callback),
  };
}
