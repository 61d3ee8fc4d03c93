/** Everything the page draws, as one value that is replaced when something changes. */
import type { ConnectionState, CreateRequest } from "../../client/index.ts";
import type { SessionSummary, UiRequestBody } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { View } from "./route.ts";

export type Defaults = Omit<CreateRequest, "title">;

/** What the session that begins with the next message will be: what is set before there is one is kept here. */
export interface PlannedSession extends Defaults {
  /** Muted as soon as the session is there, before the first message is sent. */
  readonly muted: readonly string[];
}

export interface PendingSend {
  readonly id: string;
  readonly text: string;
  /** It is not sent any more, and is in the draft again. */
  readonly cancel: () => void;
}

/** Such as "Undo". */
export interface NoteAction {
  readonly label: string;
  readonly run: () => void;
}

export interface Viewing {
  readonly view: View;
  /** The event a replay begins at, the end when absent; the turn of a subagent. */
  readonly seq?: number;
}

export interface WaitingRequest {
  readonly sessionId: string;
  readonly requestId: string;
  readonly member: string;
  readonly request: UiRequestBody;
}

export interface AppState {
  readonly connection: ConnectionState;
  /** What is wrong with the store of the open session; empty when nothing is. */
  readonly storeProblem: string;
  /** Set once nothing comes any more and nothing can be sent. */
  readonly ended?: string;
  readonly sessions: readonly SessionSummary[];
  /** What agents of all sessions wait to be answered. */
  readonly inbox: readonly WaitingRequest[];
  /** The newest seq of each session that was shown here. */
  readonly seen: ReadonlyMap<string, number>;
  /** What begins with the next message when no session is open. */
  readonly planned: PlannedSession;
  /** Absent for a session that does not exist yet. */
  readonly sessionId?: string;
  /** The open session began with a message from here: what is being written goes on in it. */
  readonly isCreatedHere: boolean;
  /** The session that the address names could not be opened; `problem` said why. */
  readonly isUnopened: boolean;
  /** Raised with every opening, also of the same session. */
  readonly opening: number;
  /** Absent until the first events are there. */
  readonly transcript?: Transcript;
  /** The message that the address names, until it was shown. */
  readonly targetSeq?: number;
  /** What the address names beside the conversation: a replay, or the page of a subagent. */
  readonly viewing?: Viewing;
  /** The message whose answers are shown side by side. */
  readonly comparing?: string;
  /** What the last thing that was tried failed with; empty after one that went well. */
  readonly problem: string;
  /** A word about something that went well, for a moment. */
  readonly note: string;
  /** What can be done about it meanwhile. */
  readonly noteAction?: NoteAction;
  /** How often something was sent from here: whoever sends wants to see what comes of it. */
  readonly sends: number;
  /** Sent, and not in the session yet. */
  readonly pending: readonly PendingSend[];
}

export const ONLINE: ConnectionState = { state: "online", attempt: 0, nextInMs: 0, reason: "" };
