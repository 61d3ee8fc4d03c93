/** Everything the page renders, as one immutable value. */
import type { ConnectionState, PlannedSession } from "../../client/index.ts";
import type { SessionSummary, UiRequestBody } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { OwnPage, Target, View } from "./route.ts";
import type { Team } from "./team.ts";

export interface PendingSend {
  readonly id: string;
  readonly text: string;
  /** Cancels sending and returns the text to the draft. */
  readonly cancel: () => void;
}

/** Such as "Undo". */
export interface NoteAction {
  readonly label: string;
  readonly run: () => void;
}

export interface Viewing {
  readonly view: View;
  /** Start event of a replay, the end when absent; or the turn of a subagent. */
  readonly seq?: number;
}

/** The panel at the right of a session. */
export interface PanelState {
  readonly tab: PanelTab;
  /** File shown by it. */
  readonly path?: string;
  readonly line?: number;
}

export type PanelTab = "changes" | "files" | "members" | "minutes";

/** A page of its own instead of a session. */
export interface OwnPageState {
  readonly page: OwnPage;
  readonly section?: string;
}

export interface WaitingRequest {
  readonly sessionId: string;
  readonly requestId: string;
  readonly member: string;
  readonly request: UiRequestBody;
}

export interface AppState {
  readonly connection: ConnectionState;
  /** Error of the open session's store; empty without one. */
  readonly storeProblem: string;
  /** Set once the connection has ended for good. */
  readonly ended?: string;
  /** Who reads, and who else there is, on a team's server. */
  readonly team?: Team | undefined;
  readonly sessions: readonly SessionSummary[];
  /** Open requests of all sessions. */
  readonly inbox: readonly WaitingRequest[];
  /** The newest seq of each session shown here. */
  readonly seen: ReadonlyMap<string, number>;
  /** Used when no session is open. */
  readonly planned: PlannedSession;
  /** Whether it is used for the next sessions in its folder too. */
  readonly isPlanRemembered: boolean;
  /** Absent for a session that does not exist yet. */
  readonly sessionId?: string;
  /** The open session was created by a message from here: the draft continues in it. */
  readonly isCreatedHere: boolean;
  /** The session of the address could not be opened; `problem` says why. */
  readonly isUnopened: boolean;
  /** Raised with every opening, also of the same session. */
  readonly opening: number;
  /** Absent until the first events have arrived. */
  readonly transcript?: Transcript;
  /** The message of the address, until it was shown. */
  readonly target?: Target;
  /** The view of the address beside the conversation: a replay, or a subagent's page. */
  readonly viewing?: Viewing;
  /** Absent while it is closed. */
  readonly panel?: PanelState | undefined;
  /** Absent while a session, or a new one, is shown. */
  readonly ownPage?: OwnPageState;
  /** Error of the last action; empty after a success. */
  readonly problem: string;
  /** A temporary notice of success. */
  readonly note: string;
  /** An action offered with the notice. */
  readonly noteAction?: NoteAction;
  /** Number of messages sent from here; each scrolls to the end. */
  readonly sends: number;
  /** Sent, and not in the session yet. */
  readonly pending: readonly PendingSend[];
}

export const ONLINE: ConnectionState = { state: "online", attempt: 0, nextInMs: 0, reason: "" };
