/**
 * Tells a dead connection from a quiet one. A half-open connection gives no error and may even still bring frames, so
 * the host is asked regularly: it is taken for dead when after the question nothing at all comes, or when frames come
 * and the answer never does, because then what we send does not arrive.
 */
import type { Clock } from "../kit/clock.ts";

/** As often as hosts send heartbeats. */
const QUIET_MS = 15_000;
const ANSWER_MS = 10_000;
/** An answer can be held up behind much else that comes: it has this many times as long while frames keep coming. */
const PATIENCE = 3;

export interface Liveness {
  /** Something came. */
  markReceived(): void;
  /** Ask now instead of at the next regular time. */
  probe(): void;
  stop(): void;
}

export interface LivenessOptions {
  readonly clock: Clock;
  readonly quietMs?: number | undefined;
  readonly answerMs?: number | undefined;
  /** A question that any host answers at once; settles with the answer, whatever it is. */
  readonly ask: () => Promise<unknown>;
  readonly onDead: (reason: string) => void;
}

export function createLiveness(options: LivenessOptions): Liveness {
  const { clock, quietMs = QUIET_MS, answerMs = ANSWER_MS, ask, onDead } = options;
  let receivedAt = clock.monotonic();
  let isAsking = false;
  let isStopped = false;
  let cancel = clock.after(quietMs, probe);

  function wait(ms: number, next: () => void): void {
    cancel();
    cancel = clock.after(ms, next);
  }

  function probe(): void {
    if (isAsking || isStopped) return;
    isAsking = true;
    const probedAt = clock.monotonic();
    ask().then(answered, answered);
    wait(answerMs, () => judge(probedAt, probedAt + answerMs));
  }

  function answered(): void {
    isAsking = false;
    if (!isStopped) wait(quietMs, probe);
  }

  function judge(probedAt: number, dueAt: number): void {
    const now = clock.monotonic();
    const isLate = now - dueAt > answerMs;
    const silentMs = now - Math.max(receivedAt, probedAt);
    // A timer that comes late tells of this process, which slept; what the host sent meanwhile has yet to be read.
    if (!isLate && silentMs >= answerMs) return onDead(`the host was silent for ${Math.round(now - receivedAt)} ms`);
    if (!isLate && now - probedAt >= PATIENCE * answerMs) {
      return onDead(`the host did not answer for ${Math.round(now - probedAt)} ms`);
    }
    wait(answerMs, () => judge(probedAt, now + answerMs));
  }

  return {
    markReceived: () => (receivedAt = clock.monotonic()),
    probe,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
