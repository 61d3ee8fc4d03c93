/** Tool calls: arguments as JSON text in the legacy frame and as an object in the chat event. */
import type { EventOf, Json } from "../../protocol/index.ts";
import type { ToolBlock, TurnMessage } from "../../transcript/index.ts";
import type { ToolFailure } from "./chat-event.ts";
import { placeOf, type TurnChange } from "./map-text.ts";
import type { Scribe } from "./scribe.ts";
import { stretchOf } from "./spoken-text.ts";

/** The tool by which members ask each other; agent programs put the name of its server before it. */
const AGENTS_MESSAGE = /(?:^|[^a-z])agents_message$/;

export function mapToolCall(scribe: Scribe, event: EventOf<"tool_call_start">, { before, after }: TurnChange): void {
  if (before === undefined || after === undefined || toolOf(before, event.toolCallId) !== undefined) return;
  const tool = toolOf(after, event.toolCallId);
  if (tool === undefined) return;
  const said = stretchOf(before);
  if (said !== "") scribe.chat("assistant_done", { text: said }, placeOf(after));
  scribe.send({ type: "tool_call_start", ...callOf(scribe, after, tool), arguments: JSON.stringify(argsOf(tool)) });
  sayCall(scribe, after, tool);
}

/** Arguments that came late: the same call again, which the chat panel puts in the place of the first. */
export function mapToolUpdate(scribe: Scribe, event: EventOf<"tool_call_update">, { before, after }: TurnChange): void {
  if (before === undefined || after === undefined || event.args === undefined || before === after) return;
  const tool = toolOf(after, event.toolCallId);
  if (tool !== undefined) sayCall(scribe, after, tool);
}

export function mapToolOutput(
  scribe: Scribe,
  event: EventOf<"tool_output_delta">,
  { before, after }: TurnChange,
): void {
  if (after === undefined || before === after || event.text === "") return;
  const tool = toolOf(after, event.toolCallId);
  if (tool === undefined) return;
  scribe.send({ type: "tool_output_delta", ...callOf(scribe, after, tool), delta: event.text });
  scribe.chat(
    "tool_output_chunk",
    {
      toolCallId: tool.toolCallId,
      toolName: toolName(tool),
      chunk: event.text,
      offset: tool.outputDropped + tool.output.length,
      stream: event.stream ?? "output",
    },
    placeOf(after),
  );
}

export function mapToolResult(scribe: Scribe, event: EventOf<"tool_result">, { before, after }: TurnChange): void {
  if (before === undefined || after === undefined || toolOf(before, event.toolCallId)?.state !== "pending") return;
  const tool = toolOf(after, event.toolCallId);
  if (tool === undefined) return;
  const { ok, truncated } = event;
  const failure = ok ? undefined : failureOf(event);
  const error = failure === undefined ? {} : { error: failure };
  const result = resultOf(after, tool, event);
  scribe.send({
    type: "tool_result",
    ...callOf(scribe, after, tool),
    ok,
    ...(result === null ? {} : { result }),
    ...error,
    ...(truncated === undefined ? {} : { truncated: true, truncatedBy: "bytes" as const, ...bytesOf(truncated) }),
  });
  scribe.chat("tool_result", { toolCallId: tool.toolCallId, result, ...error }, placeOf(after));
}

function sayCall(scribe: Scribe, turn: TurnMessage, tool: ToolBlock): void {
  const { toolCallId } = tool;
  scribe.chat("tool_call", { toolCallId, toolName: toolName(tool), args: argsOf(tool) }, placeOf(turn));
}

function toolOf(turn: TurnMessage, toolCallId: string): ToolBlock | undefined {
  return turn.blocks.findLast((block): block is ToolBlock => block.kind === "tool" && block.toolCallId === toolCallId);
}

function callOf(
  { sessionId }: Scribe,
  { agentExchangeId }: TurnMessage,
  tool: ToolBlock,
): { callId: string; toolName: string; sessionId: string; agentExchangeId?: string } {
  const exchange = agentExchangeId === undefined ? {} : { agentExchangeId };
  return { callId: tool.toolCallId, toolName: toolName(tool), sessionId, ...exchange };
}

function toolName({ name }: ToolBlock): string {
  return AGENTS_MESSAGE.test(name) ? "agents_message" : name;
}

/** A question to a member has assistant's words beside ours, by which its panel draws it. */
function argsOf(tool: ToolBlock): Record<string, Json> {
  const { args } = tool;
  const record = typeof args === "object" && args !== null && !Array.isArray(args) ? args : { value: args };
  if (!AGENTS_MESSAGE.test(tool.name)) return record;
  const { to, text, wait } = record;
  return {
    ...record,
    ...(to === undefined ? {} : { agentId: to }),
    ...(text === undefined ? {} : { content: text }),
    mode: wait === false ? "async" : "sync",
  };
}

function resultOf(turn: TurnMessage, tool: ToolBlock, { ok, result }: EventOf<"tool_result">): Json {
  if (!ok || !AGENTS_MESSAGE.test(tool.name)) return result ?? null;
  const asked = turn.blocks.find((block) => block.kind === "exchange" && block.toolCallId === tool.toolCallId);
  if (asked?.kind !== "exchange") return result ?? null;
  const { agentExchangeId: messageId, to: agentId, wait } = asked;
  if (!wait) return { mode: "async", status: "started", messageId, agentId };
  return { mode: "sync", messageId, agentId, response: asked.answer?.text ?? result ?? "" };
}

function failureOf({ error, result }: EventOf<"tool_result">): ToolFailure {
  return error ?? { code: "tool_error", message: result ?? "The tool failed." };
}

function bytesOf(truncated: NonNullable<EventOf<"tool_result">["truncated"]>): {
  totalBytes: number;
  outputBytes: number;
} {
  return { totalBytes: truncated.totalBytes, outputBytes: truncated.shownBytes };
}
