/** State shared by the parts of a mirror: the thread, its index and its session. */
import type { Clock } from "../../../src/kit/clock.ts";
import type { BlobStore } from "../../../src/log/index.ts";
import type { Session } from "../../../src/session/index.ts";
import type * as kingdom from "../format/kingdom.ts";
import type { ThreadLocation } from "./thread-location.ts";

export interface MirrorContext {
  readonly location: ThreadLocation;
  readonly index: kingdom.ThreadIndex;
  readonly session: Pick<Session, "sessionId" | "command" | "externalTurns" | "transcript">;
  readonly blobs: Pick<BlobStore, "get">;
  readonly clock: Clock;
  /** Adds a warning to the session, each sentence once. */
  readonly warn: (sentence: string, detail?: string) => void;
}
