/** Plans and what came of them. */
import type { EventOf } from "../../protocol/index.ts";
import type { Block, Head, TurnMessage, Transcript } from "../model.ts";
import { addNotice } from "./notices.ts";
import { addBlock, changeBlock, openTurn, replaceBlock, withOpenTurn } from "./open-turns.ts";
import { patchHead } from "../pages.ts";
import { plain, present } from "../record.ts";

type PlanBlock = Extract<Block, { kind: "plan" }>;

/** The head has the newest plan; a turn has one block a plan, which follows its updates. */
export function updatePlan(transcript: Transcript, event: EventOf<"plan_update">): Transcript {
  const { planId, member, explanation } = event;
  const items = plain(event.items);
  const plan: Head["plan"] & object = {
    planId,
    ...present({ member }),
    items,
    ...present({ explanation }),
    needsDecision: event.needsDecision === true,
  };
  const updated = patchHead(transcript, { plan });
  const turn = openTurn(updated, event.turnId);
  if (turn === undefined) return updated;
  return withOpenTurn(updated, putPlan(turn, { kind: "plan", planId, items, ...present({ explanation }) }));
}

function putPlan(turn: TurnMessage, block: PlanBlock): TurnMessage {
  const index = turn.blocks.findLastIndex((one) => one.kind === "plan" && one.planId === block.planId);
  return index === -1 ? addBlock(turn, block) : replaceBlock(turn, index, block);
}

/** A decision about a plan that is shown nowhere is kept as a notice. */
export function decidePlan(transcript: Transcript, event: EventOf<"plan_decision">): Transcript {
  const { planId, decision } = event;
  const { plan } = transcript.head;
  const isShown = plan?.planId === planId;
  const decided = isShown ? patchHead(transcript, { plan: { ...plan, needsDecision: false } }) : transcript;
  const marked = changeBlock(
    decided,
    "plan",
    (block) => block.planId === planId,
    (block) => ({ ...block, decision }),
  );
  return marked ?? (isShown ? decided : addNotice(decided, event));
}

export function reportChanges(turn: TurnMessage, event: EventOf<"change_report">): TurnMessage {
  const { files, truncatedCount } = event;
  return addBlock(turn, { kind: "changes", files: plain(files), truncatedCount });
}

export function finishTask(turn: TurnMessage, event: EventOf<"finalize_task">): TurnMessage {
  return addBlock(turn, { kind: "finished", summary: event.summary });
}

/** The turn goes on with another model; the member keeps the one it was given. */
export function fallBack(turn: TurnMessage, event: EventOf<"model_fallback">): TurnMessage {
  return { ...addBlock(turn, { kind: "event", event: plain(event) }), model: event.actual };
}
