/**
 * Host tools as an MCP server inside the program's control protocol: no process, no port, and no time limit but ours. A
 * call is emitted as `host_call` and waits for its answer.
 */
import { hostToolSchemas } from "../../../protocol/index.ts";
import type { AnswerResult } from "../../port.ts";
import type { Step } from "../../process/dialect.ts";
import { answerProgram } from "./control.ts";
import { fieldsOf, rawTextOf, type Fields } from "../../../kit/fields.ts";
import { asJson } from "../../json-rpc/fields.ts";
import { NO_TURN_REFUSAL } from "./permissions.ts";
import { INSPECT_SCHEMA } from "./inspect/inspect-tool.ts";
import { promptedTurn, step, without, type ClaudeState } from "./state.ts";
import { HOST_TOOL_SERVER } from "./tool-blocks.ts";

const PROTOCOL_VERSION = "2025-11-25";
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

export function handleHostToolMessage(
  state: ClaudeState,
  requestId: string,
  request: Fields,
  { isWritable }: { isWritable: boolean },
): Step<ClaudeState> {
  const message = fieldsOf(request["message"]) ?? {};
  const reply = (body: Fields): Step<ClaudeState> => step(state, [], [rpcLine(requestId, message["id"], body)]);
  switch (message["method"]) {
    case "initialize":
      return reply({ result: initializeResult(message) });
    case "ping":
      return reply({ result: {} });
    case "tools/list":
      return reply({ result: { tools: tools({ hasInspect: !isWritable && !state.isSandboxed }) } });
    case "tools/call":
      return callTool(state, requestId, message);
    case "notifications/cancelled":
      return forgetCall(state, requestId, message);
    default:
      break;
  }
  // A notification needs no answer, but the control request that carries it does.
  if (message["id"] === undefined) return step(state, [], [rpcLine(requestId, 0, { result: {} })]);
  const method = rawTextOf(message["method"]) ?? "without a name";
  return reply({ error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}.` } });
}

export function toolAnswer(requestId: string, rpcId: unknown, { result, error }: AnswerResult): string {
  const text = error ?? (typeof result === "string" ? result : JSON.stringify(result));
  return rpcLine(requestId, rpcId, { result: toolResult(text, { isError: error !== null }) });
}

function callTool(state: ClaudeState, requestId: string, message: Fields): Step<ClaudeState> {
  const params = fieldsOf(message["params"]) ?? {};
  const tool = rawTextOf(params["name"]);
  const rpcId = message["id"];
  if (tool === undefined) {
    const error = { code: INVALID_PARAMS, message: "The call names no tool." };
    return step(state, [], [rpcLine(requestId, rpcId, { error })]);
  }
  if (promptedTurn(state) === undefined) {
    return step(state, [], [rpcLine(requestId, rpcId, { result: toolResult(NO_TURN_REFUSAL, { isError: true }) })]);
  }
  const pending = new Map(state.pending).set(requestId, { what: "tool", rpcId });
  return step({ ...state, pending }, [
    { type: "host_call", callId: requestId, tool, args: asJson(params["arguments"] ?? {}) },
  ]);
}

/** The program has cancelled the call: a later answer is dropped. */
function forgetCall(state: ClaudeState, requestId: string, message: Fields): Step<ClaudeState> {
  const ack = [rpcLine(requestId, 0, { result: {} })];
  const rpcId = fieldsOf(message["params"])?.["requestId"];
  const entry = [...state.pending].find(([, request]) => request.what === "tool" && request.rpcId === rpcId);
  if (entry === undefined) return step(state, [], ack);
  const [callId] = entry;
  return step({ ...state, pending: without(state.pending, callId) }, [{ type: "request_withdrawn", callId }], ack);
}

function initializeResult(message: Fields): Fields {
  const version = rawTextOf(fieldsOf(message["params"])?.["protocolVersion"]);
  return {
    protocolVersion: version ?? PROTOCOL_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: HOST_TOOL_SERVER, title: "Roundtable", version: "1" },
  };
}

/** Marked as always loaded: models rarely find a tool that must be searched for first. */
function tools({ hasInspect }: { hasInspect: boolean }): Fields[] {
  const _meta = { "anthropic/alwaysLoad": true };
  const schemas = [...hostToolSchemas(), ...(hasInspect ? [INSPECT_SCHEMA] : [])];
  return schemas.map(({ name, description, inputSchema }) => ({ name, description, inputSchema, _meta }));
}

function toolResult(text: string, { isError }: { isError: boolean }): Fields {
  return { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
}

function rpcLine(requestId: string, id: unknown, body: Fields): string {
  return answerProgram(requestId, { mcp_response: { jsonrpc: "2.0", id: id ?? 0, ...body } });
}
