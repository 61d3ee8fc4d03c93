/** Counts messages that arrived or grew below the view while it was scrolled up. */
import type { Transcript, TurnMessage } from "../../transcript/index.ts";

export class UnseenMessages {
  /** Positions below it were seen. */
  #seenCount = 0;
  #grown = new Set<number>();

  get(messageCount: number): number {
    return Math.max(0, messageCount - this.#seenCount) + this.#grown.size;
  }

  has(position: number): boolean {
    return position >= this.#seenCount || this.#grown.has(position);
  }

  /** The view is at the end. */
  seeAll(messageCount: number): void {
    this.#seenCount = messageCount;
    this.#grown.clear();
  }

  /** Everything up to and including this position has been in view. */
  seeTo(position: number): void {
    this.#seenCount = Math.max(this.#seenCount, position + 1);
    for (const grown of this.#grown) if (grown <= position) this.#grown.delete(grown);
  }

  /** Costs time for open turns only. */
  note(before: Transcript, after: Transcript, lastSeen: number): void {
    for (const turn of changedTurns(before, after)) {
      if (turn.position > lastSeen && turn.position < this.#seenCount) this.#grown.add(turn.position);
    }
  }
}

/** Open or recently closed turns that changed. */
export function changedTurns(before: Transcript, after: Transcript): TurnMessage[] {
  const old = before.head.openTurns;
  const now = after.head.openTurns;
  if (old === now) return [];
  return [
    ...Object.values(now).filter((turn) => old[turn.turnId] !== turn),
    ...Object.values(old).filter((turn) => now[turn.turnId] === undefined),
  ];
}
