/** What the dialect is told of the agent it speaks with, and of the seat. */
import type { DialectEvent } from "../../process/dialect.ts";
import type { AnswerResult } from "../../port.ts";
import type { Guard, UiRequestBody } from "../../../protocol/index.ts";
import type { Fields } from "../../json-rpc/fields.ts";

export interface AcpOptions {
  readonly member: string;
  /** The directory of the session, absolute. */
  readonly cwd: string;
  readonly isWritable: boolean;
  /** Tool servers that the agent connects to. */
  readonly mcpServers: readonly AcpMcpServer[];
  /** Which of them is the table's own, by its name. */
  readonly hostToolServer?: string | undefined;
  /** Whether prompts wait until `toolsKnown` was said. */
  readonly awaitsTools?: boolean | undefined;
  /** The model that the member's configuration names. */
  readonly model?: string | undefined;
  /** How hard its model is to think. */
  readonly effort?: string | undefined;
  /** The way to log in that needs nobody at the keyboard, or the agent's only one. */
  readonly authMethod?: string | undefined;
  /** How the user logs in by hand, for the sentence that says so. */
  readonly loginHint?: string | undefined;
  /** The mode in which it must work, where that is known. */
  readonly mode?: ((isSandboxed: boolean) => string | undefined) | undefined;
  /** What holds it back without our sandbox, once it is in that mode; absent: its own modes tell. */
  readonly guard?: (() => GuardReport | undefined) | undefined;
  /** Takes a second prompt into the turn that runs. */
  readonly canSteer: boolean;
  /** The command that compacts its context where that is known: null when there is none, absent to go by what it offers. */
  readonly compactCommand?: OfferedCommand | null | undefined;
  readonly extensions?: AcpExtensions | undefined;
}

/** A slash command of the agent's own. */
export interface OfferedCommand {
  readonly name: string;
  readonly acceptsInput: boolean;
}

export interface GuardReport {
  readonly guard: Guard;
  readonly detail?: string;
}

/** As `session/new` wants them. */
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

/** Methods of an agent's own, beyond the protocol. */
export interface AcpExtensions {
  /** Null: not a method of this agent. */
  ask(method: string, params: Fields, about: ExtensionTurn): ExtensionReply | null;
  /** The result for a question that was put to the user. */
  answer(method: string, params: Fields, answer: AnswerResult): object;
  /** What the agent merely tells. */
  onNotification(method: string, params: Fields, about: ExtensionTurn): readonly DialectEvent[];
}

export interface ExtensionTurn {
  readonly turnId: string;
  readonly isWritable: boolean;
  /** The plan as it was last shown in this turn. */
  readonly plan: readonly PlanItem[];
}

export type PlanItem = Extract<DialectEvent, { type: "plan_update" }>["items"][number];

export type ExtensionReply =
  | { readonly result: object; readonly events?: readonly DialectEvent[] }
  | { readonly request: UiRequestBody; readonly events?: readonly DialectEvent[] };
