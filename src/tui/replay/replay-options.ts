/** What a replay is given from outside: the events of a session, and where to show them. */
import type { Clock } from "../../kit/clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import type { ScreenOptions } from "../app/options.ts";

export interface RecordedSession {
  readonly sessionId: string;
  /** From the first on, in lots; it ends where the replay shall end. */
  readonly events: AsyncIterable<readonly SessionEvent[]>;
  /** How many times as fast as it was recorded; 0 is at once. */
  readonly speed: number;
  /** Something the user should know of this replay. */
  readonly note?: string;
  /** Ends it from outside. */
  readonly signal: AbortSignal;
}

type Shared = "env" | "theme" | "settingsFile" | "keysFile" | "copyText" | "isInForeground";

export interface ReplayOptions extends RecordedSession, Pick<ScreenOptions, Shared> {}

export interface ReplayLinesOptions extends RecordedSession {
  readonly write: (text: string) => void;
  /** Resolves when what was written has left the process: a slow reader is waited for. */
  readonly flush: () => Promise<void>;
  readonly clock?: Clock;
}
