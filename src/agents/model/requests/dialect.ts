/** The small door between the turn and the APIs of model servers: what is asked, and what each API makes of it. */
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
  /** What is known of the model; it decides by which API and with what it is asked. */
  readonly quirks: ModelQuirks;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Some servers refuse the option by which usage is asked for. */
  readonly wantsUsage: boolean;
  /** How hard the model is to think; the server's own choice when absent. */
  readonly effort?: string | undefined;
}

export type Api = "chat" | "responses";

/** How one API is spoken: everything that differs between them, and nothing of HTTP. */
export interface Dialect {
  /** After the base address. */
  readonly path: string;
  body(request: ModelRequest): unknown;
  reader(limits: ModelAgentLimits): ReplyReader;
  /** Whether an answer that came whole is one of this API. */
  isAnswer(parsed: unknown): boolean;
}

/** Builds one reply out of what the server sends. */
export interface ReplyReader {
  read(chunk: unknown): ReplyPart[];
  done(): Reply;
  /** The reply is complete, whatever else may come. */
  readonly hasFinished: boolean;
  /** Nothing more comes. */
  readonly isOver: boolean;
}
