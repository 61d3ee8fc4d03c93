/** Interface between a turn and the APIs of model servers. */
import type { Usage } from "../../../protocol/index.ts";
import type { Message } from "./message.ts";
import type { ModelAgentLimits } from "../limits.ts";
import type { Fields } from "../../../kit/fields.ts";
import type { ModelQuirks } from "./quirks.ts";

export interface ToolSchema {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export interface ModelRequest {
  readonly model: string;
  /** Quirks of the model; they select API and options. */
  readonly quirks: ModelQuirks;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Some servers reject the option that requests usage. */
  readonly wantsUsage: boolean;
  /** Reasoning effort; the server's default when absent. */
  readonly effort?: string | undefined;
}

/** One API: everything that differs between them, without HTTP. */
export interface Dialect {
  /** Appended to the base URL. */
  readonly path: string;
  body(request: ModelRequest): unknown;
  reader(limits: ModelAgentLimits): ReplyReader;
  /** Whether a whole JSON answer belongs to this API. */
  isAnswer(parsed: unknown): boolean;
}

/** Builds one reply from the server's records. */
export interface ReplyReader {
  read(chunk: unknown): ReplyPart[];
  done(): Reply;
  /** The reply is complete; more records may follow. */
  readonly hasFinished: boolean;
  /** No more records follow. */
  readonly isOver: boolean;
}

export type ReplyPart =
  | { readonly type: "text" | "thinking"; readonly text: string }
  /** Start of a tool call. */
  | { readonly type: "call"; readonly name: string }
  | { readonly type: "error"; readonly error: unknown };

export interface RequestedToolCall {
  /** The server's id; empty without one. */
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** True when the arguments were truncated. */
  readonly isCut: boolean;
  /** Server data to be returned with the call, such as a signature. */
  readonly extra?: Fields;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly RequestedToolCall[];
  readonly finish: string | undefined;
  readonly usage: Usage | undefined;
  /** Tool calls beyond the limit, dropped. */
  readonly callsDropped: number;
  /** Length of the model's output, for a usage estimate. */
  readonly charsOut: number;
  /** Server data to be returned with this reply, such as reasoning. */
  readonly providerMetadata?: readonly Fields[];
}
