/**
 * Subagent: a turn inside the parent turn, with the same tools and an empty conversation.
 * It is reported from start to done, exactly once each; it stops with the parent turn and at its own deadline; a report
 * is a result, anything else a failure that the parent sees.
 */
import type { AgentEvent } from "../port.ts";
import { Conversation } from "./context/conversation.ts";
import type { AgentState } from "./agent-state.ts";
import { RunningTurn, type TurnEnd } from "./running-turn.ts";
import { ToolError, type SubagentOrder } from "./tools/tool.ts";

type Done = Extract<AgentEvent, { type: "turn_done" }>;
type SubagentDone = Extract<AgentEvent, { type: "subagent_done" }>;

const LATE = "deadline";
const PARTIAL_CHARS_MAX = 2_000;
/** Events about the member as a whole, not about this conversation. */
const OF_THE_MEMBER: ReadonlySet<AgentEvent["type"]> = new Set([
  "context_update",
  "context_entry",
  "compacted",
  "member_session",
  "steered",
]);

/** Runs a turn to its end; never rejects. */
type WorkTurn = (state: AgentState, turn: RunningTurn, linger: SubagentOrder["linger"]) => Promise<TurnEnd>;

export async function runSubagent(
  state: AgentState,
  parent: RunningTurn,
  order: SubagentOrder,
  workTurn: WorkTurn,
): Promise<string> {
  const { family, limits, clock, nextId } = state;
  if (family.atWork >= limits.subagentsAtOnceMax) {
    const message = `${family.atWork} subagents are already running, which is the limit. Wait for one of them, or do it yourself.`;
    throw new ToolError("tool_error", message);
  }
  const subagentId = nextId();
  const name = order.name === "" ? `subagent ${++family.sent}` : order.name;
  const report = createReport();
  let done: SubagentDone | undefined;
  const turn = new RunningTurn({
    input: {
      kind: "turn",
      turnId: subagentId,
      text: order.task,
      attachments: [],
      ...(parent.input.model === undefined ? {} : { model: parent.input.model }),
    },
    clock,
    steersMax: 0,
    nextId,
    up(event) {
      if (OF_THE_MEMBER.has(event.type)) return;
      report.add(event);
      if (event.type === "turn_done") parent.show((done = doneOf(subagentId, event, report.text())));
      else parent.show({ type: "subagent_event", subagentId, event });
    },
  });
  family.atWork += 1;
  parent.show({ type: "subagent_start", subagentId, name, task: order.task, nativeToolId: order.nativeId });
  parent.adopt(turn);
  const work = workOn(state, turn, order, workTurn).finally(() => {
    family.atWork -= 1;
    parent.release(turn);
  });
  // The parent turn may end first; it then waits for what this one started.
  order.linger(work);
  await parent.unlessStopped(work);
  return reportOf(name, done);
}

async function workOn(
  state: AgentState,
  turn: RunningTurn,
  { signal, linger }: SubagentOrder,
  workTurn: WorkTurn,
): Promise<void> {
  const { limits, clock, depth } = state;
  const late = () => turn.stop(LATE);
  const cancel = clock.after(limits.subagentMs, late);
  signal.addEventListener("abort", late, { once: true });
  const child: AgentState = {
    ...state,
    depth: depth + 1,
    conversation: new Conversation(),
    reading: undefined,
    toolbox: state.toolboxAt(depth + 1),
    limits: { ...limits, toolCallsMax: limits.subagentToolCallsMax },
  };
  try {
    turn.settle(await workTurn(child, turn, linger));
  } finally {
    cancel();
    signal.removeEventListener("abort", late);
  }
}

function doneOf(subagentId: string, { outcome, reason, error, usage }: Done, text: string): SubagentDone {
  return {
    type: "subagent_done",
    subagentId,
    outcome: reason === LATE ? "timed_out" : outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    ...(usage === undefined ? {} : { usage }),
    ...(text === "" ? {} : { text }),
  };
}

function reportOf(name: string, done: SubagentDone | undefined): string {
  if (done?.outcome === "completed") return done.text ?? "(It ended without a report.)";
  const why =
    done?.outcome === "timed_out" ? "it took too long" : (done?.error?.message ?? done?.reason ?? "it was lost");
  const partial = done?.text === undefined ? "" : ` Its last text: ${done.text.slice(0, PARTIAL_CHARS_MAX)}`;
  throw new ToolError("tool_error", `Subagent ${name} did not finish: ${why}.${partial}`);
}

/** Its last message, or the summary it finished with. */
function createReport(): { add(event: AgentEvent): void; text(): string } {
  let last = "";
  let summary = "";
  return {
    add(event) {
      if (event.type === "text_delta") last += event.text;
      else if (event.type === "tool_call_start" || event.type === "text_retracted") last = "";
      else if (event.type === "finalize_task") summary = event.summary;
    },
    text: () => (summary === "" ? last : last === "" ? summary : `${last}\n\n${summary}`),
  };
}
