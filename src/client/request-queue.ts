/**
 * Open requests of a session as one screen answers them: oldest first, one at a time. A request that would act accepts
 * an answer only after a grace period without typing, so that a key meant for something else never approves what nobody
 * has read.
 */
import type { UiRequestBody } from "../protocol/index.ts";

/** How long a newly shown request that would act ignores answers. */
export const ANSWER_GRACE_MS = 500;
/** A repeated key extends the grace for at most this long: it is held down, or the user insists. */
export const REPEATS_MS_MAX = 3_000;

/** The fields the queue needs; the open requests of a transcript have them. */
export interface QueuedRequest {
  readonly requestId: string;
  readonly request: UiRequestBody;
}

export interface RequestQueue<Request extends QueuedRequest = QueuedRequest> {
  /** Replaces the open requests, oldest first. Call it when the first of them is drawn: its grace starts now. */
  update(requests: readonly Request[]): void;
  /** The request to show, if any. */
  current(): Request | undefined;
  /** Number of requests behind the current one. */
  waiting(): number;
  /** False for every request but the current one, and for that one until its grace is over. */
  acceptsAnswer(requestId: string): boolean;
  /** The current request was hidden and is visible again: restarts its grace. */
  shownAgain(): void;
  /** A key came too early or means nothing here, so the user is typing: restarts the grace. */
  onUnhandledKey(key: string): void;
  /** Milliseconds until the current request accepts an answer; 0 when it does, or when there is none. */
  graceLeftMs(): number;
}

export interface RequestQueueOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Which requests have a grace period; by default those that would act. */
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
    onUnhandledKey(key) {
      const at = now();
      const isRepeated = key === unhandled.key && at - unhandled.lastAt < ANSWER_GRACE_MS;
      unhandled = { key, firstAt: isRepeated ? unhandled.firstAt : at, lastAt: at };
      if (at - unhandled.firstAt >= REPEATS_MS_MAX) return;
      readyAt = Math.max(readyAt, at + ANSWER_GRACE_MS);
    },
    acceptsAnswer: (requestId) => open[0]?.requestId === requestId && graceLeftMs() === 0,
    graceLeftMs,
  };
}

const NO_UNHANDLED_KEY = { key: "", firstAt: -Infinity, lastAt: -Infinity };

/** A confirmation lets something happen just as an approval does. */
function wouldAct({ method }: UiRequestBody): boolean {
  return method === "approval" || method === "confirm";
}
