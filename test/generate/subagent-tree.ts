/** A member that sends out finder, which sends out reader; beside it the member speaks and sends out another one, other. */
import type { EventDraft } from "../../src/protocol/index.ts";
import { ended, started } from "./drafts.ts";

export const spoke = (turnId: string, member: string, text: string): EventDraft => ({
  type: "text_delta",
  turnId,
  member,
  segmentId: `s-${turnId}`,
  text,
});

/** In the turns t1 of the member, t2 of finder, t3 of reader and t4 of other; only reader has ended. */
export function subagentTree(member: string): EventDraft[] {
  return [
    started("t1", member, { messageIds: ["m1"] }),
    spoke("t1", member, `Words of ${member}.`),
    spawned("t1", member, "finder", "t2"),
    sent("t2", "finder", "t1", 1),
    spoke("t2", "finder", "Found it."),
    spawned("t2", "finder", "reader", "t3"),
    sent("t3", "reader", "t2", 2),
    spoke("t3", "reader", "Read it."),
    ended("t3", "reader"),
    spawned("t1", member, "other", "t4"),
    sent("t4", "other", "t1", 1),
    spoke("t4", "other", "Another thing."),
  ];
}

function spawned(turnId: string, member: string, name: string, subagentTurnId: string): EventDraft {
  return { type: "subagent_spawned", depth: 1, turnId, member, name, task: `look into ${name}`, subagentTurnId };
}

function sent(turnId: string, name: string, parentTurnId: string, depth: number): EventDraft {
  return started(turnId, name, { cause: "subagent", parentTurnId, depth });
}
