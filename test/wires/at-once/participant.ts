/** A client of one wire in a session that clients of every wire share. Edges have theirs in `test/at-once.ts`. */
import type { Host } from "../../../src/host/index.ts";
import type { EventOf, EventType } from "../../../src/protocol/index.ts";
import type { RunningServer } from "../../../src/server/index.ts";
import type { wireSession } from "../wire-session.ts";
import type { Conversation } from "./conversation.ts";

export interface SharedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly dataDir: string;
  readonly host: Host;
  readonly template: ReturnType<typeof wireSession>;
  readonly server: Pick<RunningServer, "url" | "token">;
  /** The port without a token. */
  readonly compatUrl: string;
  /** The events so far. */
  readonly of: <Type extends EventType>(type: Type) => EventOf<Type>[];
}

/** Everything is optional: a wire takes part as far as it can. */
export interface Participant {
  /** Sends a message that begins with `@member`. */
  readonly send?: (text: string) => Promise<void> | void;
  /** Sends a message that has to wait, and checks that the wire says so. */
  readonly queue?: (text: string) => Promise<void>;
  /** Writes a message where nobody is at work. */
  readonly write?: (to: string, text: string) => Promise<void>;
  readonly seesQuestion?: () => Promise<void>;
  readonly seesQueued?: () => Promise<void>;
  /** Answers the pending question with BLUE. */
  readonly answer?: () => Promise<void>;
  /** The question was answered by another client. */
  readonly seesAnswered?: () => Promise<void>;
  /** Allows the pending call. */
  readonly allow?: () => Promise<void>;
  readonly stop?: () => Promise<void> | void;
  /** What it shows, folded by one who knows only this wire. */
  readonly views?: () => Promise<readonly Conversation[]>;
  /** The conversation as far as the wire can express it. */
  readonly expressible?: (whole: Conversation) => Conversation;
  /** Checks how many turns it shows as stopped and as failed. */
  readonly expectEndings?: (stopped: number, failed: number) => Promise<void>;
  readonly close: () => Promise<void> | void;
}

export type Join = (session: SharedSession) => Promise<Participant>;

export const count = (list: readonly string[], what: string): number => list.filter((one) => one === what).length;
