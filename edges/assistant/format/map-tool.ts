/** Tool calls: arguments as JSON text in the legacy frame and as an object in the chat event. */
import type { EventOf, Json } from "../../../src/protocol/index.ts";
import type { ToolBlock, TurnMessage } from "../../../src/transcript/index.ts";
import type { ToolFailure } from "./chat-event.ts";
import { closeSpan } from "./close-span.ts";
import { idsOf, type TurnChange } from "./map-text.ts";
import type { FrameWriter } from "./frame-writer.ts";

/** The tool for questions between members; agent programs prefix it with the server name. */
const AGENTS_MESSAGE = /(?:^|[^a-z])agents_message$/;

export function mapToolCall(
  writer: FrameWriter,
  event: EventOf<"tool_call_start">,
  { before, after }: TurnChange,
): void {
  if (before === undefined || after === undefined || toolOf(before, event.toolCallId) !== undefined) return;
  const tool = toolOf(after, event.toolCallId);
  if (tool === undefined) return;
  closeSpan(writer, before);
  writer.send({ type: "tool_call_start", ...callOf(writer, after, tool), arguments: JSON.stringify(argsOf(tool)) });
  writeToolCall(writer, after, tool);
}

/** Late arguments: the call is sent again, and the chat panel replaces the first. */
export function mapToolUpdate(
  writer: FrameWriter,
  event: EventOf<"tool_call_update">,
  { before, after }: TurnChange,
): void {
  if (before === undefined || after === undefined || event.args === undefined || before === after) return;
  const tool = toolOf(after, event.toolCallId);
  if (tool !== undefined) writeToolCall(writer, after, tool);
}

export function mapToolOutput(
  writer: FrameWriter,
  event: EventOf<"tool_output_delta">,
  { before, after }: TurnChange,
): void {
  if (after === undefined || before === after || event.text === "") return;
  const tool = toolOf(after, event.toolCallId);
  if (tool === undefined) return;
  writer.send({ type: "tool_output_delta", ...callOf(writer, after, tool), delta: event.text });
  writer.chat(
    "tool_output_chunk",
    {
      toolCallId: tool.toolCallId,
      toolName: toolName(tool),
      chunk: event.text,
      offset: tool.outputDropped + tool.output.length,
      stream: event.stream ?? "output",
    },
    idsOf(after),
  );
}

/** A tool interrupted with its turn is not reported as failed: the chat panel marks running tools itself. */
export function mapToolResult(writer: FrameWriter, event: EventOf<"tool_result">, { before, after }: TurnChange): void {
  if (before === undefined || after === undefined || toolOf(before, event.toolCallId)?.state !== "pending") return;
  const tool = toolOf(after, event.toolCallId);
  if (tool === undefined) return;
  const { ok, truncated } = event;
  const failure = ok ? undefined : failureOf(tool, event);
  const error = failure === undefined ? {} : { error: failure };
  const result = resultOf(after, tool, event);
  writer.send({
    type: "tool_result",
    ...callOf(writer, after, tool),
    ok,
    ...(result === null || result === "" ? {} : { result }),
    ...error,
    ...(truncated === undefined ? {} : { truncated: true, truncatedBy: "bytes" as const, ...bytesOf(truncated) }),
  });
  if (tool.state === "interrupted") return;
  writer.chat("tool_result", { toolCallId: tool.toolCallId, result, ...error }, idsOf(after));
}

/** When a turn ends without an interrupt, nothing else closes these tools. */
export function settleTools(writer: FrameWriter, turn: TurnMessage): void {
  for (const tool of unsettledTools(turn)) {
    const error = tool.error ?? { code: "tool_interrupted", message: "The turn ended before the tool did." };
    writer.chat("tool_result", { toolCallId: tool.toolCallId, result: null, error }, idsOf(turn));
  }
}

/** Tools that the chat panel shows as running. */
export function unsettledTools({ blocks }: TurnMessage): ToolBlock[] {
  return blocks.filter(
    (block): block is ToolBlock =>
      block.kind === "tool" && (block.state === "pending" || block.state === "interrupted"),
  );
}

function writeToolCall(writer: FrameWriter, turn: TurnMessage, tool: ToolBlock): void {
  const { toolCallId } = tool;
  writer.chat("tool_call", { toolCallId, toolName: toolName(tool), args: argsOf(tool) }, idsOf(turn));
}

function toolOf(turn: TurnMessage, toolCallId: string): ToolBlock | undefined {
  return turn.blocks.findLast((block): block is ToolBlock => block.kind === "tool" && block.toolCallId === toolCallId);
}

function callOf(
  { sessionId }: FrameWriter,
  { agentExchangeId }: TurnMessage,
  tool: ToolBlock,
): { callId: string; toolName: string; sessionId: string; agentExchangeId?: string } {
  const exchange = agentExchangeId === undefined ? {} : { agentExchangeId };
  return { callId: tool.toolCallId, toolName: toolName(tool), sessionId, ...exchange };
}

function toolName({ name }: ToolBlock): string {
  return AGENTS_MESSAGE.test(name) ? "agents_message" : name;
}

/** A question to a member also has the fields by which assistant's panel draws it. */
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
  if (!ok) return result ?? null;
  // The panel drops streamed output when the result arrives.
  const shown = result ?? tool.output;
  if (!AGENTS_MESSAGE.test(tool.name)) return shown;
  const exchange = turn.blocks.find((block) => block.kind === "exchange" && block.toolCallId === tool.toolCallId);
  if (exchange?.kind !== "exchange") return shown;
  const { agentExchangeId: messageId, to: agentId, wait } = exchange;
  if (!wait) return { mode: "async", status: "started", messageId, agentId };
  return { mode: "sync", messageId, agentId, response: exchange.answer?.text ?? shown };
}

/** The panel shows only the message of a failure, so it includes the tool's output. */
function failureOf(tool: ToolBlock, { error, result }: EventOf<"tool_result">): ToolFailure {
  const output = (result ?? tool.output).trimEnd();
  const { code, message } = error ?? { code: "tool_error", message: output === "" ? "The tool failed." : output };
  return { code, message: message.includes(output) ? message : `${message}\n${output}` };
}

function bytesOf(truncated: NonNullable<EventOf<"tool_result">["truncated"]>): {
  totalBytes: number;
  outputBytes: number;
} {
  return { totalBytes: truncated.totalBytes, outputBytes: truncated.shownBytes };
}
