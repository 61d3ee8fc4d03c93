/** Messages of a session are sent in the order they were written, even if uploads of one are slow. */
import type { CommandBody } from "../../client/index.ts";
import { newId } from "../../kit/ids.ts";
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
