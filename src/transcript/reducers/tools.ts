/** Tool calls of an open turn, by id. Any number may run at once; each is settled by its first result. */

import type { EventOf } from "../../protocol/index.ts";
import { OUTPUT_SHOWN_MAX, type Head, type Transcript } from "../model.ts";
import type { ToolBlock, ToolState, TurnMessage, Block } from "../messages.ts";
import { addBlock, replaceBlock, changeBlock, openTurn, withOpenTurn } from "./open-turns.ts";
import { plain, present } from "../record.ts";
import { decidedOutcome } from "../requests/outcome.ts";
import { leaveThinking } from "./text.ts";
import { addNotice } from "./notices.ts";
import { patchHead } from "../pages.ts";

/** A duplicate call is stored as its event. */
export function startTool(turn: TurnMessage, event: EventOf<"tool_call_start">): TurnMessage {
  if (findTool(turn, event.toolCallId) !== undefined) return addBlock(turn, { kind: "event", event: plain(event) });
  const { nativeId, title, kind: toolKind, agentExchangeId } = event;
  return addBlock(leaveThinking(turn), {
    kind: "tool",
    toolCallId: event.toolCallId,
    name: event.name,
    args: plain(event.args),
    ...present({ nativeId, title, toolKind, agentExchangeId }),
    state: "pending",
    output: "",
    outputDropped: 0,
    startTs: event.ts,
  });
}

export function updateTool(turn: TurnMessage, event: EventOf<"tool_call_update">): TurnMessage {
  const match = findTool(turn, event.toolCallId);
  if (match?.tool.state !== "pending") return turn;
  const { title, args, detail, decided } = event;
  const approval = decided === undefined ? undefined : decidedOutcome(decided);
  return replaceBlock(turn, match.index, { ...match.tool, ...present({ title, args, detail, approval }) });
}

/** Output without a running call is dropped; the result repeats it. */
export function appendOutput(turn: TurnMessage, event: EventOf<"tool_output_delta">): TurnMessage {
  const match = findTool(turn, event.toolCallId);
  if (match?.tool.state !== "pending") return turn;
  return replaceBlock(turn, match.index, { ...match.tool, ...grownOutput(match.tool, event.text) });
}

/** A result without its call (lost by damage), or a second one, is stored as its event. */
export function settleTool(turn: TurnMessage, event: EventOf<"tool_result">): TurnMessage {
  const match = findTool(turn, event.toolCallId);
  if (match?.tool.state !== "pending") return addBlock(turn, { kind: "event", event: plain(event) });
  const { result, error, truncated, diff, durationMs } = event;
  return replaceBlock(turn, match.index, {
    ...match.tool,
    ...present({ result, error, truncated, diff, durationMs }),
    ...settledOutput(match.tool, result),
    state: stateOf(event, match.tool),
    endSeq: event.seq,
  });
}

function stateOf(event: EventOf<"tool_result">, tool: ToolBlock): ToolState {
  if (!event.ok) return event.error?.code === "tool_interrupted" ? "interrupted" : "error";
  if (event.isOutcomeKnown === false) return "finished";
  if (event.truncated !== undefined) return "truncated";
  return tool.agentExchangeId === undefined ? "success" : "agent-callback";
}

function findTool(turn: TurnMessage, toolCallId: string): { index: number; tool: ToolBlock } | undefined {
  for (let index = turn.blocks.length - 1; index >= 0; index -= 1) {
    const tool = turn.blocks[index];
    if (tool?.kind === "tool" && tool.toolCallId === toolCallId) return { index, tool };
  }
  return undefined;
}

type Output = Pick<ToolBlock, "output" | "outputDropped">;

/** Truncating copies the text, so it happens only at twice the minimum: constant cost per character. */
function grownOutput(tool: ToolBlock, text: string): Output {
  const output = tool.output + text;
  return output.length > 2 * OUTPUT_SHOWN_MAX ? cutOutput(tool, output) : { output, outputDropped: tool.outputDropped };
}

function cutOutput(tool: ToolBlock, output: string): Output {
  const cut = Math.max(0, output.length - OUTPUT_SHOWN_MAX);
  const from = isLowSurrogate(output.charCodeAt(cut)) ? cut + 1 : cut;
  return { output: output.slice(from), outputDropped: tool.outputDropped + from };
}

/** Half of a surrogate pair would be drawn as a replacement character. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Compared at the end of output and result; a trailing newline may be missing in one of them. */
const REPEATED_CHARS = 256;

/** A result often repeats the output; storing both would double the session and show it twice. */
function settledOutput(tool: ToolBlock, result: string | undefined): Output {
  if (result?.includes(tool.output.trimEnd().slice(-REPEATED_CHARS)) === true) return { output: "", outputDropped: 0 };
  return cutOutput(tool, tool.output);
}

type PlanBlock = Extract<Block, { kind: "plan" }>;

/** The head has the newest plan; a turn has one block per plan, which follows its updates. */
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

/** A decision about a plan that is not shown becomes a notice. */
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

/** The turn continues with another model; the member keeps the one it was given. */
export function fallBack(turn: TurnMessage, event: EventOf<"model_fallback">): TurnMessage {
  return { ...addBlock(turn, { kind: "event", event: plain(event) }), model: event.actual };
}
