/** What the dialect needs to know about the agent and the session. */
import type { DialectEvent } from "../../process/dialect.ts";
import type { AnswerResult } from "../../port.ts";
import type { Guard, UiRequestBody } from "../../../protocol/index.ts";
import type { Fields } from "../../json-rpc/fields.ts";

export interface AcpOptions {
  readonly member: string;
  /** Directory of the session, absolute. */
  readonly cwd: string;
  readonly isWritable: boolean;
  /** MCP servers that the agent connects to. */
  readonly mcpServers: readonly AcpMcpServer[];
  /** Name of the server with the host tools. */
  readonly hostToolServer?: string | undefined;
  /** Whether prompts wait for `toolsKnown`. */
  readonly awaitsTools?: boolean | undefined;
  /** Configured model. */
  readonly model?: string | undefined;
  /** Configured reasoning effort. */
  readonly effort?: string | undefined;
  /** Login method that needs no user at the keyboard, or the agent's only one. */
  readonly authMethod?: string | undefined;
  /** How to log in by hand, for the error hint. */
  readonly loginHint?: string | undefined;
  /** Required mode, where it is known. */
  readonly mode?: ((isSandboxed: boolean) => string | undefined) | undefined;
  /** What restrains the agent in that mode without our sandbox; absent: its own modes tell. */
  readonly guard?: (() => GuardReport | undefined) | undefined;
  /** Accepts a second prompt during a turn. */
  readonly canSteer: boolean;
  /** Command that compacts its context, where known; absent to use what it lists. */
  readonly compactCommand?: OfferedCommand | "none" | undefined;
  readonly extensions?: AcpExtensions | undefined;
}

/** Slash command of the agent. */
export interface OfferedCommand {
  readonly name: string;
  readonly acceptsInput: boolean;
}

export interface GuardReport {
  readonly guard: Guard;
  readonly detail?: string;
}

/** Format of `session/new`. */
export type AcpMcpServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value: string }[];
    }
  | {
      readonly type: "http";
      readonly name: string;
      readonly url: string;
      readonly headers: readonly { readonly name: string; readonly value: string }[];
    };

/** Methods of one agent beyond the protocol. */
export interface AcpExtensions {
  /** Undefined: not a method of this agent. */
  ask(method: string, params: Fields, about: ExtensionTurn): ExtensionReply | undefined;
  /** Result for a question that the user has answered. */
  answer(method: string, params: Fields, answer: AnswerResult): object;
  /** Notifications of the agent. */
  onNotification(method: string, params: Fields, about: ExtensionTurn): readonly DialectEvent[];
}

export interface ExtensionTurn {
  readonly turnId: string;
  readonly isWritable: boolean;
  /** Plan as last shown in this turn. */
  readonly plan: readonly PlanItem[];
}

export type PlanItem = Extract<DialectEvent, { type: "plan_update" }>["items"][number];

export type ExtensionReply =
  | { readonly result: object; readonly events?: readonly DialectEvent[] }
  | { readonly request: UiRequestBody; readonly events?: readonly DialectEvent[] };
