/** Rate limit of messages per connection and minute. */
import type { Clock } from "../../../src/kit/clock.ts";
import type * as assistant from "../format/assistant.ts";
import { errorFrame } from "./wire-errors.ts";

const MESSAGES_MAX = 120;
const MESSAGES_WINDOW_MS = 60_000;

export class MessageRate {
  readonly #clock: Clock;
  readonly #times: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one message, or returns how long to wait. */
  tryConsume(): assistant.ErrorFrame | undefined {
    const now = this.#clock.monotonic();
    const times = this.#times;
    while (times[0] !== undefined && times[0] <= now - MESSAGES_WINDOW_MS) times.shift();
    if (times.length < MESSAGES_MAX) {
      times.push(now);
      return undefined;
    }
    const retryAfterMs = Math.ceil((times[0] ?? now) + MESSAGES_WINDOW_MS - now);
    const details = { limit: MESSAGES_MAX, windowMs: MESSAGES_WINDOW_MS, retryAfterMs };
    const message = "Too many messages in a minute. Wait a moment.";
    return errorFrame("rate_limit_messages", message, { retryable: true, details });
  }
}
