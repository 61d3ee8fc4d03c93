/** Messages of a session leave in the order they were written, also when the files of one of them take their time. */
import type { CommandBody } from "../../client/index.ts";
import { uploadAll, type Ask, type Enclosed } from "./upload.ts";

type MessageBody = Extract<CommandBody, { type: "send" | "steer" | "queue_add" }>;

export interface SenderOptions {
  readonly ask: Ask;
  readonly command: (body: MessageBody, sessionId: string, signal: AbortSignal) => Promise<unknown>;
}

/** Resolves when the host has taken the message; the next one of its session waits only until this one is given to it. */
export type SendTo = (
  session: string | Promise<string>,
  body: MessageBody,
  files: readonly Enclosed[],
  /** The message is given up; its promise rejects with the signal's reason. */
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
