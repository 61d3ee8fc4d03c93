/** What an interrupted recovery has already written, so that it can be completed with the same result. */
import * as z from "zod";
import type { Json, SessionEvent } from "../../protocol/index.ts";

export const RESTART = "restart";

export const RestartJson = z.object({
  turnIds: z.array(z.string()),
  cutDiscussion: z.boolean(),
  rounds: z.array(z.string()),
});

export interface RestartFacts {
  apply(event: SessionEvent): void;
  /** Turns ended by a restart that no `recovered` event has named yet. */
  readonly turnIds: readonly string[];
  /** A discussion was cut by a restart, without `council_paused` yet. */
  readonly cutDiscussion: boolean;
  toJson(): Json;
}

export function createRestartFacts(saved?: z.infer<typeof RestartJson>): RestartFacts {
  let turnIds: string[] = saved?.turnIds ?? [];
  let cutDiscussion = saved?.cutDiscussion ?? false;
  /** Open turns that belong to a round. */
  const rounds = new Set<string>(saved?.rounds);
  return {
    apply(event) {
      // A turn copied from another session ended there, whatever ended it.
      if ((event.type === "turn_start" && event.copiedFrom !== undefined) || isCopiedEnd(event)) return;
      if (event.type === "turn_start") {
        cutDiscussion = false;
        if (event.round !== undefined) rounds.add(event.turnId);
      } else if (event.type === "turn_end") {
        if (event.reason === RESTART) {
          turnIds.push(event.turnId);
          cutDiscussion ||= rounds.has(event.turnId);
        }
        rounds.delete(event.turnId);
      } else if (event.type === "recovered") turnIds = [];
      else if (event.type === "council_paused") cutDiscussion = false;
    },
    get turnIds() {
      return turnIds;
    },
    get cutDiscussion() {
      return cutDiscussion;
    },
    toJson: () => ({ turnIds: [...turnIds], cutDiscussion, rounds: [...rounds] }),
  };
}

function isCopiedEnd(event: SessionEvent): boolean {
  return event.type === "turn_end" && event.copied === true;
}
