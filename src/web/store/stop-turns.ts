/**
 * Stopping: what this page started first, also before a reload. What others started is named with where it came from, and
 * stopped by the next stop.
 */
import { stillRunning, type OtherTurn } from "../../client/index.ts";
import { formatList } from "../../kit/text/format-list.ts";
import type { Json } from "../../protocol/index.ts";

interface Stopped {
  readonly stopped: number;
  readonly members: readonly string[];
  readonly others: readonly OtherTurn[];
}

export interface Stopping {
  /** Of what runs, by turn: once those of others were named, they are meant too. */
  scope(turnIds: readonly string[]): "own" | "all";
  /** What came of it, in a sentence; empty when there is nothing to say. */
  describe(result: Json): { readonly message: string; readonly hasOthers: boolean };
}

export function createStopping(): Stopping {
  let named: ReadonlySet<string> = new Set();
  return {
    scope: (turnIds) => (turnIds.some((turnId) => named.has(turnId)) ? "all" : "own"),
    describe(result) {
      const { stopped = 0, members = [], others = [] } = (result ?? {}) as Partial<Stopped>;
      named = new Set(others.map(({ turnId }) => turnId));
      const done = members.length > 0 ? `Stopped ${formatList(members)}.` : stopped > 0 ? "Stopped." : "";
      const rest = others.length === 0 ? "" : stillRunning(others);
      return { message: `${done} ${rest}`.trim(), hasOthers: others.length > 0 };
    },
  };
}
