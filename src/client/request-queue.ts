/**
 * The requests of a session as one screen answers them: oldest first, one at a time. An answer that would let something
 * happen is taken only after the request has stood at the front for a moment in which nobody typed, so that a key meant
 * for something else, or for the request before it, never approves what nobody has read.
 */
import type { UiRequestBody } from "../protocol/index.ts";

/** How long a newly shown request that would act is deaf. */
export const ANSWER_GRACE_MS = 500;
/** One key over and over keeps it deaf for so long: it is held, or somebody insists. */
export const REPEATS_MS_MAX = 3_000;

/** What the queue needs to know; an open request of a transcript's head is one. */
export interface QueuedRequest {
  readonly requestId: string;
  readonly request: UiRequestBody;
}

export interface RequestQueue<Request extends QueuedRequest = QueuedRequest> {
  /** The open requests as they are now, oldest first. The first becomes the one to show; call it when that is drawn. */
  update(requests: readonly Request[]): void;
  /** The one to show; undefined when nothing is asked. */
  current(): Request | undefined;
  /** How many wait behind the one that is shown. */
  waiting(): number;
  /** False for every request but the shown one, and for that one until its grace is over. */
  acceptsAnswer(requestId: string): boolean;
  /** The shown one was out of sight and is back: its grace begins anew. */
  shownAgain(): void;
  /**
   * A key came too early, or is of no use to the shown one: something else is typed, and the grace begins anew. Who
   * knows what is typed says how long a rest is the end of it.
   */
  onUnhandledKey(key: string, restMs?: number): void;
  /** The shown one takes no answer before this time, by the clock of the queue. */
  deafUntil(time: number): void;
  /** How long until the shown one accepts an answer; 0 when it does, or when nothing is asked. */
  graceLeftMs(): number;
}

export interface RequestQueueOptions {
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number;
  /** Which requests have a grace: those that would act, unless told. */
  readonly hasGrace?: (request: UiRequestBody) => boolean;
}

export function createRequestQueue<Request extends QueuedRequest = QueuedRequest>({
  now,
  hasGrace = wouldAct,
}: RequestQueueOptions): RequestQueue<Request> {
  let open: readonly Request[] = [];
  let readyAt = 0;
  let unhandled = NO_UNHANDLED_KEY;

  function beginGrace(): void {
    readyAt = now() + ANSWER_GRACE_MS;
    unhandled = NO_UNHANDLED_KEY;
  }

  function graceLeftMs(): number {
    const [front] = open;
    if (front === undefined || !hasGrace(front.request)) return 0;
    return Math.max(0, readyAt - now());
  }

  return {
    update(requests) {
      if (requests[0]?.requestId !== open[0]?.requestId) beginGrace();
      open = requests;
    },
    current: () => open[0],
    waiting: () => Math.max(0, open.length - 1),
    shownAgain: beginGrace,
    onUnhandledKey(key, restMs) {
      const at = now();
      const isRepeated = key === unhandled.key && at - unhandled.lastAt < ANSWER_GRACE_MS;
      unhandled = { key, firstAt: isRepeated ? unhandled.firstAt : at, lastAt: at };
      if (at - unhandled.firstAt >= REPEATS_MS_MAX) return;
      readyAt = restMs === undefined ? Math.max(readyAt, at + ANSWER_GRACE_MS) : at + restMs;
    },
    deafUntil: (time) => (readyAt = Math.max(readyAt, time)),
    acceptsAnswer: (requestId) => open[0]?.requestId === requestId && graceLeftMs() === 0,
    graceLeftMs,
  };
}

const NO_UNHANDLED_KEY = { key: "", firstAt: -Infinity, lastAt: -Infinity };

/** A confirmation lets something happen just as an approval does. */
function wouldAct({ method }: UiRequestBody): boolean {
  return method === "approval" || method === "confirm";
}
