/**
 * Status during silence: who still works, at most every 30 seconds, who waits, and retries. Not part of the session.
 */
import type { Clock } from "../../kit/clock.ts";
import type { Head, TurnMessage } from "../../transcript/index.ts";
import { waitingMembers } from "../panels/waiting-rows.ts";
import { sentence, shortened, spokenTime } from "./format-session.ts";

const STILL_WORKING_MS = 30_000;
/** A member that starts within this time is not announced as waiting. */
const WAITING_MS = 1_000;

export interface LongWaitsOptions {
  readonly clock: Clock;
  readonly write: (text: string) => void;
}

export class LongWaits {
  readonly #options: LongWaitsOptions;
  #head: Head | undefined;
  #spokenAt = -Infinity;
  #cancelStill: (() => void) | undefined;
  #cancelWaiting: (() => void) | undefined;
  #waiting = "";
  /** When each open turn was first seen. */
  readonly #begun = new Map<string, number>();
  readonly #attempts = new Map<string, number>();

  constructor(options: LongWaitsOptions) {
    this.#options = options;
  }

  /** Something was announced: the silence starts again. */
  spoke(): void {
    this.#spokenAt = this.#options.clock.monotonic();
  }

  show(head: Head | undefined): void {
    this.#head = head;
    const open = Object.values(head?.openTurns ?? {});
    this.#follow(open);
    if (open.length > 0 && this.#cancelStill === undefined) this.#listen(STILL_WORKING_MS);
    if (open.length === 0) this.#rest();
    if (head !== undefined) this.#noticeWaiting(head);
  }

  stop(): void {
    this.#rest();
    this.#cancelWaiting?.();
    this.#cancelWaiting = undefined;
  }

  #rest(): void {
    this.#cancelStill?.();
    this.#cancelStill = undefined;
  }

  #follow(open: readonly TurnMessage[]): void {
    const ids = new Set(open.map(({ turnId }) => turnId));
    for (const map of [this.#begun, this.#attempts]) for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
    for (const { turnId, member, retrying } of open) {
      if (!this.#begun.has(turnId)) this.#begun.set(turnId, this.#options.clock.monotonic());
      if (retrying === undefined || this.#attempts.get(turnId) === retrying.attempt) continue;
      this.#attempts.set(turnId, retrying.attempt);
      const { attempt, of, reason } = retrying;
      this.#options.write(sentence(`${member} tries again, attempt ${attempt} of ${of}: ${shortened(reason)}`));
    }
  }

  #listen(ms: number): void {
    this.#cancelStill = this.#options.clock.after(ms, () => this.#reportWorking());
  }

  #reportWorking(): void {
    const now = this.#options.clock.monotonic();
    const silentMs = now - this.#spokenAt;
    if (silentMs < STILL_WORKING_MS) return this.#listen(STILL_WORKING_MS - silentMs);
    const working = Object.values(this.#head?.openTurns ?? {}).filter((turn) => !isAsking(turn));
    const lines = working.map(
      ({ turnId, member }) => `${member}, ${spokenTime(now - (this.#begun.get(turnId) ?? now))}`,
    );
    if (lines.length > 0) this.#options.write(`Still working: ${lines.join("; ")}.`);
    this.#listen(STILL_WORKING_MS);
  }

  #noticeWaiting(head: Head): void {
    const now = formatWaiting(head);
    if (now === "") {
      this.#waiting = "";
      this.#cancelWaiting?.();
      this.#cancelWaiting = undefined;
    } else if (now !== this.#waiting) {
      this.#cancelWaiting ??= this.#options.clock.after(WAITING_MS, () => this.#announceWaiting());
    }
  }

  #announceWaiting(): void {
    this.#cancelWaiting = undefined;
    const now = this.#head === undefined ? "" : formatWaiting(this.#head);
    if (now === "" || now === this.#waiting) return;
    this.#waiting = now;
    this.#options.write(now);
  }
}

function formatWaiting(head: Head): string {
  const waiting = waitingMembers(head).map(({ member, why }) => `${member} ${why}`);
  return waiting.length === 0 ? "" : `Waiting: ${waiting.join("; ")}.`;
}

function isAsking({ blocks }: TurnMessage): boolean {
  return blocks.some((block) => block.kind === "request" && block.state === "open");
}
