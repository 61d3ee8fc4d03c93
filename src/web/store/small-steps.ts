/**
 * States that wait to be drawn. What came while the page was busy is drawn in steps, so that no frame has all of it to
 * draw. A step grows with what waits: however fast it comes, what is drawn is never far behind.
 */

/** Of much that waits, this part is drawn. */
const STEP_SHARE = 1 / 8;
/** Beyond this every second one is forgotten: the steps become larger, nothing is lost. */
const WAITING_MAX = 1_024;

export interface SmallSteps<State> {
  add(state: State): void;
  /** The state to draw now: one a step further, or the newest one of all; undefined when nothing waits. */
  next(options?: { readonly isWhole?: boolean }): State | undefined;
  isWaiting(): boolean;
  clear(): void;
}

export interface SmallStepsOptions<State> {
  /** How much has led to a state. */
  readonly positionOf: (state: State) => number;
  /** So much is drawn without a second thought. */
  readonly step: number;
}

export function createSmallSteps<State>({ positionOf, step }: SmallStepsOptions<State>): SmallSteps<State> {
  let waiting: State[] = [];
  let drawnPosition: number | undefined;
  function stepFrom(position: number, newest: number): number {
    const limit = position + Math.max(step, Math.ceil((newest - position) * STEP_SHARE));
    const beyond = waiting.findIndex((state) => positionOf(state) > limit);
    return beyond < 0 ? waiting.length : Math.max(1, beyond);
  }
  return {
    add(state) {
      waiting.push(state);
      if (waiting.length > WAITING_MAX) waiting = waiting.filter((_, at) => (waiting.length - at) % 2 === 1);
    },
    next({ isWhole = false } = {}) {
      const newest = waiting.at(-1);
      if (newest === undefined) return undefined;
      const count =
        isWhole || drawnPosition === undefined ? waiting.length : stepFrom(drawnPosition, positionOf(newest));
      const drawn = waiting[count - 1] ?? newest;
      waiting = waiting.slice(count);
      drawnPosition = positionOf(drawn);
      return drawn;
    },
    isWaiting: () => waiting.length > 0,
    clear() {
      waiting = [];
      drawnPosition = undefined;
    },
  };
}
