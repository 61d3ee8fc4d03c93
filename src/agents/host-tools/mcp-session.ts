/**
 * MCP session of our tool server with one agent program: handshake, tool list, calls, cancellation. Input is untrusted.
 * Every request is answered once; a call may take any time and reports progress if the program asked for it; a
 * cancelled call is not answered.
 */
import type { Clock } from "../../kit/clock.ts";
import { readCutMessage } from "../../kit/io/cut-message.ts";
import type { BadLine } from "../../kit/io/json-lines.ts";
import { hostToolSchemas, type Json } from "../../protocol/index.ts";
import {
  isRecord,
  METHOD_NOT_FOUND,
  readRpcValue,
  type RpcError,
  type RpcId,
  type RpcMessage,
  type RpcParams,
} from "../json-rpc/messages.ts";
import type { AnswerResult } from "../port.ts";
import { findHostTool } from "./server-name.ts";

export interface McpSessionOptions {
  readonly clock: Clock;
  /** False when the message is too long to send. */
  readonly send: (message: object) => boolean;
  /** Answered later with `answer`; a string is the reason for refusal. */
  readonly call: (tool: string, args: Json) => { readonly callId: string } | string;
  readonly withdraw: (callId: string) => void;
  /** The program has read the tool list. */
  readonly listed: () => void;
}

export interface McpSession {
  receive(value: unknown): void;
  /** A line could not be parsed or exceeds the limit. */
  complain(line: BadLine, lineBytesMax: number): void;
  /** Ignored when nobody waits for it. */
  answer(callId: string, result: AnswerResult): void;
  /** The program is gone: withdraws its calls. */
  end(): void;
}

/** Newest first; an unknown version is answered with the newest. */
const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
/** Well below the shortest client timeout seen (60 s). */
const PROGRESS_MS = 5_000;

const TOO_LONG_ANSWER = "The answer is too long to send. Ask for less.";

interface OpenCall {
  readonly id: RpcId;
  stopProgress(): void;
}

export function createMcpSession(options: McpSessionOptions): McpSession {
  return new McpServerSession(options);
}

class McpServerSession implements McpSession {
  readonly #options: McpSessionOptions;
  readonly #open = new Map<string, OpenCall>();

  constructor(options: McpSessionOptions) {
    this.#options = options;
  }

  receive(value: unknown): void {
    const message = readRpcValue(value);
    if (message.kind === "request") this.#handleRequest(message);
    else if (message.kind === "notification" && message.method === "notifications/cancelled") {
      this.#cancel(message.params["requestId"]);
    } else if (message.kind === "unreadable") {
      this.#refuse(null, { code: INVALID_REQUEST, message: "Invalid JSON-RPC message." });
    }
  }

  /** With its own id where readable, so that the caller does not wait for it. */
  complain({ reason, bytes, head, tail = "" }: BadLine, lineBytesMax: number): void {
    if (reason !== "too_long") {
      return this.#refuse(null, { code: PARSE_ERROR, message: `A line of ${bytes} bytes is not JSON.` });
    }
    const { kind, id } = readCutMessage(head, tail);
    const message = `A line of ${bytes} bytes was skipped: the limit is ${lineBytesMax}. Send less at once.`;
    return this.#refuse(kind === "request" ? id : null, { code: INVALID_REQUEST, message });
  }

  answer(callId: string, { result, error }: AnswerResult): void {
    const call = this.#close(callId);
    if (call === undefined) return;
    const isSent = this.#reply(call.id, toolResult(error ?? resultText(result), { isError: error !== null }));
    if (!isSent) this.#reply(call.id, toolResult(TOO_LONG_ANSWER, { isError: true }));
  }

  end(): void {
    for (const callId of this.#open.keys()) {
      this.#close(callId);
      this.#options.withdraw(callId);
    }
  }

  #handleRequest({ id, method, params }: Extract<RpcMessage, { kind: "request" }>): void {
    switch (method) {
      case "initialize":
        return void this.#reply(id, introduction(params["protocolVersion"]));
      case "ping":
        return void this.#reply(id, {});
      case "tools/list":
        this.#reply(id, { tools: hostToolSchemas() });
        return this.#options.listed();
      case "tools/call":
        return this.#callTool(id, params);
      default:
        return this.#refuse(id, { code: METHOD_NOT_FOUND, message: `Unknown method ${shown(method)}.` });
    }
  }

  #callTool(id: RpcId, { name, arguments: args, _meta: meta }: RpcParams): void {
    const tool = typeof name === "string" ? findHostTool(name) : undefined;
    if (tool === undefined) {
      return this.#refuse(id, { code: INVALID_PARAMS, message: `Unknown tool ${shown(name)}.` });
    }
    // Two open requests with one id could not be told apart.
    if ([...this.#open.values()].some((one) => one.id === id)) {
      return this.#refuse(id, { code: INVALID_REQUEST, message: "A request with this id is still open." });
    }
    const accepted = this.#options.call(tool, (args ?? {}) as Json);
    if (typeof accepted === "string") return void this.#reply(id, toolResult(accepted, { isError: true }));
    const token = isRecord(meta) ? meta["progressToken"] : undefined;
    this.#open.set(accepted.callId, { id, stopProgress: this.#reportProgress(token) });
  }

  #reportProgress(progressToken: unknown): () => void {
    if (typeof progressToken !== "string" && typeof progressToken !== "number") return () => undefined;
    const { clock, send } = this.#options;
    let progress = 0;
    const report = (): void => {
      progress += 1;
      const params = { progressToken, progress, message: "Waiting for the answer." };
      send({ jsonrpc: "2.0", method: "notifications/progress", params });
      cancel = clock.after(PROGRESS_MS, report);
    };
    let cancel = clock.after(PROGRESS_MS, report);
    return () => cancel();
  }

  #cancel(requestId: unknown): void {
    const callId = [...this.#open].find(([, { id }]) => id === requestId)?.[0];
    if (callId === undefined) return;
    this.#close(callId);
    this.#options.withdraw(callId);
  }

  #close(callId: string): OpenCall | undefined {
    const call = this.#open.get(callId);
    this.#open.delete(callId);
    call?.stopProgress();
    return call;
  }

  #reply(id: RpcId, result: object): boolean {
    return this.#options.send({ jsonrpc: "2.0", id, result });
  }

  #refuse(id: RpcId | null, error: RpcError): void {
    this.#options.send({ jsonrpc: "2.0", id, error });
  }
}

function introduction(wanted: unknown): object {
  const protocolVersion = PROTOCOL_VERSIONS.find((version) => version === wanted) ?? PROTOCOL_VERSIONS[0];
  return {
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "roundtable", title: "Roundtable", version: "1" },
  };
}

function toolResult(text: string, { isError }: { isError: boolean }): object {
  return { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
}

/** Gemini CLI parses text that is JSON as structured content and rejects anything but an object. */
function resultText(result: Json): string {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  try {
    return isRecord(JSON.parse(text)) ? text : JSON.stringify({ result });
  } catch {
    // Plain text.
    return text;
  }
}

const SHOWN_CHARS_MAX = 80;

function shown(name: unknown): string {
  return typeof name === "string" ? JSON.stringify(name.slice(0, SHOWN_CHARS_MAX)) : "without a name";
}
