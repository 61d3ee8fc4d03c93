/** State of one Pi process and of its turn. Immutable. */
import type { FileChange, Usage } from "../../../protocol/index.ts";
import type { Judge } from "../../approvals/approval-source.ts";
import type { ShownImage } from "../../attached.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";

/** Facts about the session for the dialect. */
export interface PiSetup {
  readonly member: string;
  readonly isWritable: boolean;
  readonly cwd: string;
  readonly judge?: Judge | undefined;
  /** Secret that only our extension knows: what carries it comes from there, never from text. */
  readonly mark: string;
}

export interface PiModel {
  readonly provider: string;
  readonly id: string;
  readonly contextWindow: number | undefined;
}

/** Format of the answer that the extension expects. */
export type PendingRequest =
  | { readonly kind: "call" | "confirm" | "value" }
  | { readonly kind: "approval"; readonly toolId: string };

export interface PiState {
  readonly isReady: boolean;
  /** Our extension has reported in; without it nothing guards the tools, so no turn is sent. */
  readonly isGuarded: boolean;
  /** This process runs in our sandbox. */
  readonly isSandboxed: boolean;
  readonly resumes: string | undefined;
  /** The session to resume is gone, and the new one has not been told its history. */
  readonly isLost: boolean;
  readonly model: PiModel | undefined;
  /** The member's model as last requested by the user. */
  readonly requestedModel: string | undefined;
  readonly turn: TurnState | undefined;
  readonly pending: ReadonlyMap<string, PendingRequest>;
  /** Numbers our commands, to match their responses. */
  readonly commands: number;
}

export interface TurnState {
  readonly prompt: string;
  /** Images of the prompt; empty once it was sent. */
  readonly images: readonly ShownImage[];
  /** False for a run that an extension started: then nobody can be asked. */
  readonly isPrompted: boolean;
  readonly phase: "switching" | "sent" | "running";
  readonly isAborting: boolean;
  /** A compaction, which has no answer for the user. */
  readonly isCompaction: boolean;
  readonly isCompacted: boolean;
  /** The prompt went through our own extension, which alone answers for it. */
  readonly isViaExtension: boolean;
  readonly message: MessageState | undefined;
  readonly tools: ReadonlyMap<string, ToolState>;
  readonly usage: Usage | undefined;
  /** Stop reason of the model's last answer. */
  readonly end: AnswerEnd | undefined;
  /** Steers that Pi has not passed to its model yet. */
  readonly steers: readonly Steer[];
  readonly hasPrompt: boolean;
  /** Idle check of a Pi without `agent_settled`: id of the command and number of attempts. */
  readonly idleCheck: { readonly id: string; readonly count: number } | undefined;
  readonly changes: ReadonlyMap<string, FileChange>;
}

export interface MessageState {
  /** Block that is being streamed, and its text since it was opened. */
  readonly open: ({ readonly index: number } & Block) | undefined;
  /** Text of interrupted blocks, which may continue. */
  readonly paused: ReadonlyMap<number, Block>;
  /** Closed blocks, as they were emitted. */
  readonly done: ReadonlyMap<number, Block>;
  readonly tools: readonly string[];
  /** Number of texts started. */
  readonly texts: number;
}

export interface Block {
  readonly kind: "text" | "thinking";
  readonly text: string;
}

export interface ToolState {
  readonly name: string;
  readonly hasArgs: boolean;
  readonly isRunning: boolean;
  readonly isDenied: boolean;
  /** Output emitted so far. */
  readonly output: string;
  /** Approved change, reported once it is made. */
  readonly change: FileChange | undefined;
}

export interface AnswerEnd {
  readonly stopReason: string;
  readonly errorMessage: string | undefined;
  readonly texts: number;
}

export interface Steer {
  readonly commandId: string;
  readonly messageId: string;
  readonly text: string;
}

export const NEW_MESSAGE: MessageState = {
  open: undefined,
  paused: new Map(),
  done: new Map(),
  tools: [],
  texts: 0,
};

export const NEW_TURN: TurnState = {
  prompt: "",
  images: [],
  isPrompted: false,
  phase: "sent",
  isAborting: false,
  isCompaction: false,
  isCompacted: false,
  isViaExtension: false,
  message: undefined,
  tools: new Map(),
  usage: undefined,
  end: undefined,
  steers: [],
  hasPrompt: false,
  idleCheck: undefined,
  changes: new Map(),
};

export function step(state: PiState, events: readonly DialectEvent[] = [], ...write: string[]): Step<PiState> {
  return { state, events, ...(write.length === 0 ? {} : { write }) };
}

export function withTurn(state: PiState, turn: Partial<TurnState>): PiState {
  return { ...state, turn: { ...(state.turn ?? NEW_TURN), ...turn } };
}

/** One command as a line. */
export function line(command: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(command)}\n`;
}

export function withEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value): ReadonlyMap<Key, Value> {
  return new Map(map).set(key, value);
}
