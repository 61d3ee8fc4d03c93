/** Interface between a turn and the APIs of model servers. */
import type { Message } from "./message.ts";
import type { ModelAgentLimits } from "../limits.ts";
import type { ModelQuirks } from "./quirks.ts";
import type { Reply, ReplyPart } from "./reply-builder.ts";

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

export type Api = "chat" | "responses";

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
