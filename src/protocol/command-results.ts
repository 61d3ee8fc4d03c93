/** What the acknowledgement of each command carries. Types only: clients of other versions may get more or less. */
import { granted, type Ack, type CommandType } from "./commands.ts";
import type { EventOf } from "./events.ts";
import type { Permissions, Revoked } from "./permissions.ts";

/** Where a message went. Members that are absent from all lists have it at once. */
export interface MessageResult {
  readonly messageId: string;
  readonly placed: "sent" | "queued";
  /** Members that get it after their running turn. */
  readonly waiting?: readonly string[];
  /** Members that get it in their running turn. */
  readonly steering?: readonly string[];
  /** Members that were addressed and are muted. */
  readonly muted?: readonly string[];
}

/** A turn that an interrupt left alone. */
export interface OtherTurn {
  readonly turnId: string;
  readonly member: string;
  /** The client that sent its message, where known. */
  readonly clientId?: string;
}

export interface InterruptResult {
  /** Number of turns and compactions. */
  readonly stopped: number;
  readonly members: readonly string[];
  readonly othersRunning: number;
  readonly others: readonly OtherTurn[];
}

export interface DiscussionResult {
  readonly round?: number;
  readonly of?: number;
  readonly running?: readonly string[];
  readonly raised?: EventOf<"council_resumed">["raised"];
}

/** Commands that are not listed have no result. */
export interface CommandResults {
  readonly send: MessageResult;
  readonly steer: MessageResult;
  readonly queue_add: MessageResult;
  readonly queue_promote: MessageResult;
  readonly interrupt: InterruptResult;
  readonly retry: { readonly turnIds: readonly string[] };
  readonly continue: DiscussionResult;
  readonly round: DiscussionResult;
  /** `by` is null for minutes that were assembled without a model. */
  readonly minutes: { readonly by: string; readonly turnId: string } | { readonly by: null };
  readonly list_files: { readonly files: readonly string[] };
  readonly list_permissions: Permissions;
  readonly revoke_permission: Revoked;
  readonly fork: { readonly sessionId: string };
  readonly compact: {
    readonly started: readonly string[];
    readonly refused: readonly { readonly member: string; readonly why: string }[];
  };
  readonly compact_undo: { readonly member: string; readonly compactionId: string };
}

export type ResultOf<Type extends CommandType> = Type extends keyof CommandResults ? CommandResults[Type] : undefined;

/** Result of an accepted command of this type. Throws the error of a refusal. */
export function commandResult<Type extends keyof CommandResults>(_type: Type, ack: Ack): CommandResults[Type] {
  return granted(ack).result as unknown as CommandResults[Type];
}
