/** Turns as linggen's run records. */
import {
  describeTurn,
  type Block,
  type Head,
  type ShownMessage,
  type TurnMessage,
} from "../../../src/transcript/index.ts";
import { agentsOfTurns, type TurnAgent } from "./agent-ids.ts";
import { toolLineOf } from "./tool-lines.ts";
import { historyEntries } from "./history-entries.ts";
import { askersOf, createSavedMessage, savedUser, type SavedMessage } from "./saved-messages.ts";
import { toSeconds } from "./ui-message.ts";

export interface RunRecord {
  readonly run_id: string;
  readonly repo_path: string;
  readonly session_id: string;
  readonly agent_id: string;
  readonly agent_kind: "main" | "subagent";
  readonly parent_run_id: string | null;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly detail: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
}

const STATUS = { completed: "completed", interrupted: "cancelled", errored: "failed", timed_out: "failed" } as const;

/** Ordered by start. */
export function runsOf(head: Head, shown: readonly ShownMessage[]): RunRecord[] {
  const turns = shown.filter((message) => message.kind === "turn");
  const agents = agentsOfTurns(turns);
  return turns.map((turn) => runOf(head, turn, agents));
}

function runOf(head: Head, turn: TurnMessage, agents: ReadonlyMap<string, TurnAgent>): RunRecord {
  const { turnId, member, depth, parentTurnId, ts, end } = turn;
  const { label, why } = describeTurn(turn).end ?? { label: null, why: "" };
  return {
    run_id: turnId,
    repo_path: head.cwd,
    session_id: head.sessionId,
    agent_id: agents.get(turnId)?.agent ?? member,
    agent_kind: depth === 0 ? "main" : "subagent",
    parent_run_id: parentTurnId ?? null,
    status: end === undefined ? "running" : STATUS[end.outcome],
    detail: why === "" ? label : why,
    started_at: toSeconds(ts),
    ended_at: end === undefined ? null : toSeconds(end.ts),
  };
}

export interface RunContext {
  readonly run: RunRecord;
  readonly summary: {
    readonly message_count: number;
    readonly user_messages: number;
    readonly agent_messages: number;
    readonly system_messages: number;
    readonly started_at: number;
    readonly ended_at: number | null;
  };
  readonly messages: readonly SavedMessage[] | null;
}

/** Prompt, text and tools of the run. Undefined when it is not in these messages. */
export function runContext(
  head: Head,
  shown: readonly ShownMessage[],
  { runId, isRaw }: { runId: string; isRaw: boolean },
): RunContext | undefined {
  const run = runsOf(head, shown).find((one) => one.run_id === runId);
  const turn = shown.find((message) => message.kind === "turn" && message.turnId === runId);
  if (run === undefined || turn?.kind !== "turn") return undefined;
  const prompts = shown.flatMap((message) =>
    message.kind === "user" && turn.messageIds.includes(message.messageId) ? [savedUser(message)] : [],
  );
  const asker = askersOf(shown.filter((message) => message.kind === "turn")).get(turn.agentExchangeId ?? "");
  const turnMessages = messagesOfTurn(turn, { agent: run.agent_id, asker: asker ?? "user" });
  const messages = [...prompts, ...turnMessages].toSorted((a, b) => a.timestamp - b.timestamp);
  const count = (isOne: (from: string) => boolean) => messages.filter((one) => isOne(one.from_id)).length;
  const { started_at, ended_at } = run;
  const summary = {
    message_count: messages.length,
    user_messages: count((from) => from === "user"),
    agent_messages: count((from) => from !== "user" && from !== "system"),
    system_messages: count((from) => from === "system"),
    started_at,
    ended_at,
  };
  return { run, summary, messages: isRaw ? messages : null };
}

function messagesOfTurn(turn: TurnMessage, { agent, asker }: { agent: string; asker: string }): SavedMessage[] {
  const turnMessages = historyEntries(turn).map(({ text, tsMs, to = asker }) =>
    createSavedMessage(agent, to, text, tsMs),
  );
  const seen = turn.blocks.flatMap((block): SavedMessage[] => {
    if (block.kind !== "tool" || block.state === "pending") return [];
    const endedTs = block.startTs + (block.durationMs ?? 0);
    return [{ ...createSavedMessage("system", agent, observationOf(block), endedTs), is_observation: true }];
  });
  return [...turnMessages, ...seen];
}

/** In the form that pages shorten: for files and searches they show the name only. */
function observationOf(block: Extract<Block, { kind: "tool" }>): string {
  const { tool, arg } = toolLineOf(block);
  const isFailed = block.state === "error" || block.state === "interrupted";
  if (isFailed) return `tool_error: tool=${tool} ${arg} error=${block.error?.message ?? "unknown"}`;
  return `Tool ${tool}: ${tool === "Read" ? "Read: " : ""}${arg}\n${block.result ?? ""}`.trim();
}
