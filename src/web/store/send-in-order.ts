/**
 * Sending and stopping. Messages of a session are sent in the order they were written, even if uploads of one are slow.
 */
import { type CommandBody, stillRunning } from "../../client/index.ts";
import { newId } from "../../kit/ids.ts";
import { formatList } from "../../kit/text/format.ts";
import type { Ack, Json, OtherTurn } from "../../protocol/index.ts";
import type { AppState, PendingSend } from "./app-state.ts";
import { type Ask, type Enclosed, uploadAll } from "./upload.ts";

/** Messages acknowledged within this time are not shown as pending. */
const PENDING_QUIET_MS = 300;

type MessageBody = Extract<CommandBody, { type: "send" | "steer" | "queue_add" }>;

export interface SenderOptions {
  readonly ask: Ask;
  readonly command: (body: MessageBody, sessionId: string, signal: AbortSignal) => Promise<unknown>;
}

/** Resolves when the host has accepted the message; the next one waits only until this one was sent. */
export type SendTo = (
  session: string | Promise<string>,
  body: MessageBody,
  files: readonly Enclosed[],
  /** Cancels the message; its promise rejects with the signal's reason. */
  signal: AbortSignal,
) => Promise<void>;

export function createSender({ ask, command }: SenderOptions): SendTo {
  const newest = new Map<string, Promise<unknown>>();
  return async (session, body, files, signal) => {
    const sessionId = await session;
    const before = newest.get(sessionId);
    const given = Promise.all([uploadAll(ask, sessionId, files), before]).then(([attachments]) => {
      signal.throwIfAborted();
      const message = { ...body, ...(attachments.length === 0 ? {} : { attachments }) };
      return { answer: command(message, sessionId, signal) };
    });
    // Also when this one fails at once: the next waits for those before it.
    const settled = Promise.allSettled([given, before]);
    newest.set(sessionId, settled);
    void settled.then(() => newest.get(sessionId) === settled && newest.delete(sessionId));
    await (
      await given
    ).answer;
  };
}

/** Messages being sent, shown when not acknowledged quickly, until accepted or rejected. */
type Pending = AppState["pending"];

export function showPending(
  message: Omit<PendingSend, "id">,
  sent: Promise<unknown>,
  change: (by: (pending: Pending) => Pending) => void,
): void {
  const id = newId();
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    change((pending) => [...pending, { id, ...message }]);
  }, PENDING_QUIET_MS);
  const remove = (): void => {
    clearTimeout(timer);
    if (isShown) change((pending) => pending.filter((one) => one.id !== id));
  };
  sent.then(remove, remove);
}

/** Messages of the open session whose turns this page may not show yet. */
export interface Unseen {
  add(acked: Promise<Ack>): void;
  /** Once all are acknowledged: whether one of them is newer than what the page has. */
  isBeyond(seq: () => number): Promise<boolean>;
}

export function createUnseen(): Unseen {
  let newest = Promise.resolve(0);
  return {
    add(acked) {
      const before = newest;
      newest = acked.then(
        async (ack) => Math.max(ack.ok ? ack.seq : 0, await before),
        () => before,
      );
    },
    isBeyond: async (seq) => (await newest) > seq(),
  };
}

/**
 * Stopping: first the turns started by this page, also before a reload. Turns of others are named with their client,
 * and stopped by the next stop.
 */
interface Stopped {
  readonly stopped: number;
  readonly members: readonly string[];
  readonly others: readonly OtherTurn[];
}

interface Stopping {
  /** `all` once turns of others were named. */
  scope(turnIds: readonly string[]): "own" | "all";
  /** The result as a message; empty when there is nothing to say. */
  describe(result: Json): { readonly message: string; readonly hasOthers: boolean };
}

export function createStopping(): Stopping {
  let named: ReadonlySet<string> = new Set();
  return {
    scope: (turnIds) => (turnIds.some((turnId) => named.has(turnId)) ? "all" : "own"),
    describe(result) {
      const { stopped = 0, members = [], others = [] } = (result ?? {}) as Partial<Stopped>;
      named = new Set(others.map(({ turnId }) => turnId));
      const done = members.length > 0 ? `Stopped ${formatList(members)}.` : stopped > 0 ? "Stopped." : "";
      const rest = others.length === 0 ? "" : stillRunning(others);
      return { message: `${done} ${rest}`.trim(), hasOthers: others.length > 0 };
    },
  };
}
