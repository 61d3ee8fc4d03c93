/**
 * A turn as steps of an agent loop: text, calls, results. Every call is followed by its result,
 * a synthetic one if necessary, because readers require it.
 */
import {
  isKnownEvent,
  type EventOf,
  type Json,
  type SessionEvent,
  type UnknownEvent,
} from "../../../src/protocol/index.ts";
import { eventLine, joinSegments, type Block, type ToolBlock } from "../../../src/transcript/index.ts";
import type { TurnNode } from "../../../src/host/index.ts";
import type { ToolCall } from "./log-line.ts";

export interface Call {
  readonly call: ToolCall;
  readonly display: string;
  readonly result: string;
  readonly ok: boolean;
  readonly error?: string;
  readonly startTs?: number;
  readonly endTs?: number;
  /** The agent started by the call. */
  readonly child?: ChildAgent;
}

export interface ChildAgent {
  readonly turnId: string;
  readonly name: string;
  readonly goal: string;
  /** Its own turn; absent when the log has only its result. */
  readonly node?: TurnNode;
  readonly text?: string;
  readonly isTimedOut: boolean;
}

export type Step =
  | { readonly kind: "plan"; readonly text: string; readonly reasoning: string; readonly calls: readonly Call[] }
  | { readonly kind: "steering"; readonly messageId: string }
  | { readonly kind: "warning"; readonly message: string }
  | { readonly kind: "error"; readonly message: string };

const NO_RESULT = "The call was interrupted before it gave a result.";
const NAME_CHARS_MAX = 64;

export function stepsOf(node: TurnNode): Step[] {
  const steps: Step[] = [];
  const open = { texts: [] as string[], thoughts: [] as string[], calls: [] as Call[] };

  function close(): void {
    const { texts, thoughts, calls } = open;
    if (texts.length > 0 || thoughts.length > 0 || calls.length > 0) {
      steps.push({ kind: "plan", text: joinSegments(texts), reasoning: joinSegments(thoughts), calls: [...calls] });
    }
    open.texts = [];
    open.thoughts = [];
    open.calls = [];
  }

  const callOf = createCallReader(node);
  for (const block of node.turn.blocks) {
    if (block.kind === "text" || block.kind === "thinking" || block.kind === "finished") {
      const text = block.kind === "finished" ? block.summary : block.text;
      if (text.trim() === "") continue;
      if (open.calls.length > 0) close();
      (block.kind === "thinking" ? open.thoughts : open.texts).push(text);
    } else if (block.kind === "steering") {
      close();
      steps.push({ kind: "steering", messageId: block.messageId });
    } else if (block.kind === "event" && (block.event.type === "warning" || block.event.type === "error")) {
      close();
      steps.push({ kind: block.event.type, message: eventLine(block.event) });
    } else if (block.kind === "event" && isNativeCompaction(block.event)) {
      close();
      steps.push({ kind: "warning", message: compactedItself(block.event) });
    } else {
      const call = callOf(block);
      if (call !== undefined) open.calls.push(call);
    }
  }
  const claimed = callOf.rest();
  if (claimed.length > 0 && open.calls.length === 0 && open.texts.length > 0) close();
  open.calls.push(...claimed);
  close();
  return steps;
}

export function isNativeCompaction(event: SessionEvent | UnknownEvent): event is EventOf<"compaction"> {
  return isKnownEvent(event) && event.type === "compaction" && event.native === true;
}

/** A `compaction` line would drop what the agent may have kept. */
export function compactedItself({ member, before, after, summary }: EventOf<"compaction">): string {
  const tokens = before > 0 || after > 0 ? ` (${before} to ${after} tokens)` : "";
  const text = summary.trim() === "" ? "" : `\n\n${summary}`;
  return `${member} compacted its own context${tokens}.${text}`;
}

interface CallReader {
  (block: Block): Call | undefined;
  /** Agents without a call in the log. */
  rest(): Call[];
}

function createCallReader({ turn, children }: TurnNode): CallReader {
  const left = new Map(children.map((child) => [child.turn.turnId, child]));
  const claim = (turnId: string | undefined): TurnNode | undefined => {
    const child = turnId === undefined ? undefined : left.get(turnId);
    if (child !== undefined) left.delete(child.turn.turnId);
    return child;
  };
  const exchanges = turn.blocks.filter((block) => block.kind === "exchange");
  const subagents = turn.blocks.filter((block) => block.kind === "subagent");
  const done = new Set<Block>();

  function toolCall(tool: ToolBlock): Call {
    const exchange = exchanges.find((block) => block.toolCallId === tool.toolCallId && !done.has(block));
    if (exchange !== undefined) {
      done.add(exchange);
      return { ...plainCall(tool), ...childOf(exchangeChild(exchange, claim(exchange.answerTurnId))) };
    }
    const sent = [...left.values()].find((child) => child.turn.toolCallId === tool.toolCallId);
    if (sent === undefined) return plainCall(tool);
    claim(sent.turn.turnId);
    const block = subagents.find((one) => one.subagentTurnId === sent.turn.turnId);
    if (block !== undefined) done.add(block);
    return { ...plainCall(tool), ...childOf(nodeChild(sent, block)) };
  }

  const read = (block: Block): Call | undefined => {
    if (done.has(block)) return undefined;
    if (block.kind === "tool") return toolCall(block);
    if (block.kind === "exchange") return exchangeCall(block, claim(block.answerTurnId));
    if (block.kind === "subagent") return subagentCall(block, claim(block.subagentTurnId));
    return undefined;
  };
  return Object.assign(read, {
    rest: () => [...left.values()].map((child) => childCall(child.turn.turnId, nodeChild(child, undefined))),
  });
}

function childOf(child: ChildAgent | undefined): { child?: ChildAgent } {
  return child === undefined ? {} : { child };
}

function plainCall(tool: ToolBlock): Call {
  const ok = ["success", "finished", "truncated", "agent-callback"].includes(tool.state);
  const text = tool.result ?? tool.error?.message ?? tool.output;
  const result = text === "" && !ok ? NO_RESULT : text;
  return {
    call: { id: tool.toolCallId, name: safeName(tool.name), arguments: argumentsOf(tool.args) },
    display: tool.title ?? tool.name,
    result,
    ok,
    ...(ok ? {} : { error: tool.error?.message ?? NO_RESULT }),
    startTs: tool.startTs,
    ...(tool.durationMs === undefined ? {} : { endTs: tool.startTs + tool.durationMs }),
  };
}

function exchangeCall(block: Extract<Block, { kind: "exchange" }>, node: TurnNode | undefined): Call {
  const ok = block.answer?.ok === true;
  return {
    call: { id: block.agentExchangeId, name: "agents_message", arguments: { to: block.to, text: block.text } },
    display: `to ${block.to}`,
    result: block.answer?.text ?? "No answer has arrived.",
    ok,
    ...(ok ? {} : { error: block.answer?.text ?? "No answer has arrived." }),
    ...childOf(exchangeChild(block, node)),
  };
}

function exchangeChild(
  block: Extract<Block, { kind: "exchange" }>,
  node: TurnNode | undefined,
): ChildAgent | undefined {
  return node === undefined ? undefined : { ...nodeChild(node, undefined), name: block.to, goal: block.text };
}

function subagentCall(block: Extract<Block, { kind: "subagent" }>, node: TurnNode | undefined): Call {
  const { subagentTurnId: turnId, name, task, text, outcome } = block;
  const isTimedOut = outcome === "timed_out";
  const child: ChildAgent =
    node === undefined
      ? { turnId, name, goal: task, isTimedOut, ...(text === undefined ? {} : { text }) }
      : nodeChild(node, block);
  return { ...childCall(turnId, child), ...resultOf(text ?? textOf(node), outcome === "completed") };
}

function childCall(id: string, child: ChildAgent): Call {
  const ok = child.node?.turn.end?.outcome === "completed";
  return {
    call: { id, name: "delegate", arguments: { agent_name: child.name, goal: child.goal } },
    display: child.name,
    ...resultOf(textOf(child.node), ok),
    child,
  };
}

function resultOf(text: string | undefined, ok: boolean): Pick<Call, "result" | "ok" | "error"> {
  const result =
    text === undefined || text === "" ? (ok ? "Done." : "The delegation was lost before it gave a result.") : text;
  return { result, ok, ...(ok ? {} : { error: result }) };
}

function nodeChild(node: TurnNode, block: Extract<Block, { kind: "subagent" }> | undefined): ChildAgent {
  return {
    turnId: node.turn.turnId,
    name: block?.name ?? node.turn.member,
    goal: block?.task ?? "(the task is not in the log)",
    node,
    isTimedOut: node.turn.end?.outcome === "timed_out",
  };
}

function textOf(node: TurnNode | undefined): string | undefined {
  const texts = node?.turn.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])) ?? [];
  return texts.length === 0 ? undefined : joinSegments(texts);
}

/** In a format that model servers accept. */
function safeName(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS_MAX);
  return safe === "" ? "tool" : safe;
}

function argumentsOf(args: Json): Readonly<Record<string, Json>> {
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return args;
  return args === null ? {} : { input: args };
}
