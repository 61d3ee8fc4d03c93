/**
 * Stopping: first the turns started by this page, also before a reload. Turns of others are named with their client,
 * and stopped by the next stop.
 */
import { type FollowedSession, stillRunning } from "../../client/index.ts";
import { formatList } from "../../kit/text/format.ts";
import type { Ack, Json, OtherTurn } from "../../protocol/index.ts";
import { isRunning, type Transcript } from "../../transcript/index.ts";
import type { AppState } from "./app-state.ts";

export interface StoppingOptions {
  readonly now: () => Pick<AppState, "sessionId" | "transcript" | "isCreatedHere">;
  /** The open session once followed; its state is newer than what is shown. */
  readonly session: () => Promise<FollowedSession<Transcript> | undefined>;
  /** A session whose first message is on its way, once it is accepted. */
  readonly begun: () => Promise<string | undefined>;
  readonly interrupt: (scope: "own" | "all", sessionId: string | undefined) => Promise<Json | undefined>;
}

export interface Stopping {
  /** A command of this page to the open session; it may start a turn. */
  noteCommand(acked: Promise<Ack>): void;
  /** Another session is opened. */
  clear(): void;
  /** Undefined when nothing can be running; an empty message when there is nothing to say. */
  stop(): Promise<Stopped | undefined>;
}

export interface Stopped {
  readonly message: string;
  readonly hasOthers: boolean;
}

export function createStopping({ now, session, begun, interrupt }: StoppingOptions): Stopping {
  let named: ReadonlySet<string> = new Set();
  let ackedSeq = Promise.resolve(0);

  /** Also a turn that this page has asked for and does not show yet. */
  async function mayRun(): Promise<boolean> {
    const { transcript, isCreatedHere } = now();
    if (transcript === undefined) return isCreatedHere;
    if (isRunning(transcript.head)) return true;
    const [followed, seq] = await Promise.all([session(), ackedSeq]);
    const { head } = followed?.state ?? transcript;
    return head.seq < seq || isRunning(head);
  }

  return {
    noteCommand(acked) {
      const before = ackedSeq;
      ackedSeq = acked.then(
        async (ack) => Math.max(ack.ok ? ack.seq : 0, await before),
        () => before,
      );
    },
    clear() {
      ackedSeq = Promise.resolve(0);
    },
    async stop() {
      const first = await begun();
      const { sessionId, transcript } = now();
      if (first === undefined && !(await mayRun())) return undefined;
      const turnIds = Object.keys(transcript?.head.openTurns ?? {});
      const scope = turnIds.some((turnId) => named.has(turnId)) ? "all" : "own";
      const { stopped, members, others } = resultOf(await interrupt(scope, first ?? sessionId));
      named = new Set(others.map(({ turnId }) => turnId));
      const done = members.length > 0 ? `Stopped ${formatList(members)}.` : stopped > 0 ? "Stopped." : "";
      const rest = others.length === 0 ? "" : `${stillRunning(others)} Stop again to stop that too.`;
      return { message: `${done} ${rest}`.trim(), hasOthers: others.length > 0 };
    },
  };
}

interface Interrupted {
  readonly stopped: number;
  readonly members: readonly string[];
  readonly others: readonly OtherTurn[];
}

function resultOf(result: Json | undefined): Interrupted {
  return { stopped: 0, members: [], others: [], ...(result as Partial<Interrupted> | undefined) };
}
