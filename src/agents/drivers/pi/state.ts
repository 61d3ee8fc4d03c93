/** What the dialect remembers of one Pi process and of the turn it works on. Never changed in place. */
import type { FileChange, Usage } from "../../../protocol/index.ts";
import type { Judge } from "../../approvals/approval-source.ts";
import type { ShownImage } from "../../attached.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";

/** What a dialect is told of the seat it speaks for. */
export interface PiSetup {
  readonly member: string;
  readonly isWritable: boolean;
  readonly cwd: string;
  readonly judge?: Judge | undefined;
  /** Only our own extension knows it: what carries it comes from there, and from nobody's text. */
  readonly mark: string;
}

export interface PiModel {
  readonly provider: string;
  readonly id: string;
  readonly contextWindow: number | null;
}

/** How an answer has to look like for the extension that asked. */
export type PendingRequest =
  | { readonly kind: "call" | "confirm" | "value" }
  | { readonly kind: "approval"; readonly toolId: string };

export interface PiState {
  readonly isReady: boolean;
  /** Our extension has said that it is there; without it nothing guards the tools, so no turn is sent. */
  readonly isGuarded: boolean;
  /** The wall around this very process stands. */
  readonly isSandboxed: boolean;
  readonly resumes: string | null;
  /** The session that was to be resumed is gone, and nobody has told the new one yet what was said. */
  readonly isLost: boolean;
  readonly model: PiModel | null;
  /** The member's model as it was last asked for, in the user's own words. */
  readonly requestedModel: string | null;
  readonly turn: TurnState | null;
  readonly pending: ReadonlyMap<string, PendingRequest>;
  /** Numbers our commands, so that their responses can be told apart. */
  readonly commands: number;
}

export interface TurnState {
  readonly prompt: string;
  /** Shown with it; empty once it was sent. */
  readonly images: readonly ShownImage[];
  /** False for a run that an extension has begun by itself: then there is nobody who could be asked anything. */
  readonly isPrompted: boolean;
  readonly phase: "switching" | "sent" | "running";
  readonly isAborting: boolean;
  /** Pi was told to compact its context; nobody waits for an answer. */
  readonly isCompaction: boolean;
  readonly isCompacted: boolean;
  /** The prompt went through our own extension, which alone answers for it. */
  readonly isViaExtension: boolean;
  readonly message: MessageState | null;
  readonly tools: ReadonlyMap<string, ToolState>;
  readonly usage: Usage | null;
  /** How the last answer of the model ended. */
  readonly end: AnswerEnd | null;
  /** Messages for the running turn that Pi has not given to its model yet. */
  readonly steers: readonly Steer[];
  readonly hasPrompt: boolean;
  /** The question whether a Pi without `agent_settled` is idle, by the id of the command and how often it was asked. */
  readonly idleCheck: { readonly id: string; readonly count: number } | null;
  readonly changes: ReadonlyMap<string, FileChange>;
}

export interface MessageState {
  /** The block that is being streamed, and what it has said since it was opened. */
  readonly open: ({ readonly index: number } & Block) | null;
  /** What blocks had said when something else came between; they may go on. */
  readonly paused: ReadonlyMap<number, Block>;
  /** Blocks whose end was told, as they were told. */
  readonly done: ReadonlyMap<number, Block>;
  readonly tools: readonly string[];
  /** How many texts were begun. */
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
  /** All of its output that was passed on so far. */
  readonly output: string;
  /** The change that was approved, told in the report once it is made. */
  readonly change: FileChange | null;
}

export interface AnswerEnd {
  readonly stopReason: string;
  readonly errorMessage: string | null;
  readonly texts: number;
}

export interface Steer {
  readonly commandId: string;
  readonly messageId: string;
  readonly text: string;
}

export const NEW_MESSAGE: MessageState = {
  open: null,
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
  message: null,
  tools: new Map(),
  usage: null,
  end: null,
  steers: [],
  hasPrompt: false,
  idleCheck: null,
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
