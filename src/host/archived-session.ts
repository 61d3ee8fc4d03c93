/** A session that is put away keeps quiet: what would make its members speak is refused until it is brought back. */
import type { Ack, Command, CommandType } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";

const SPEAKING: ReadonlySet<CommandType> = new Set([
  "send",
  "steer",
  "queue_add",
  "queue_promote",
  "retry",
  "continue",
  "round",
]);

export function refuseWhileArchived(session: Session): Session {
  const command = (wish: Command, clientId: string): Promise<Ack> =>
    session.transcript.head.archived && SPEAKING.has(wish.type)
      ? Promise.resolve(refusal(wish.commandId, session.sessionId))
      : session.command(wish, clientId);
  // Everything else stays the session's own, its getters too.
  return Object.create(session, { command: { value: command } }) as Session;
}

function refusal(commandId: string, sessionId: string): Ack {
  const message = `Session ${sessionId} is archived.`;
  const hint = 'Bring it back first: the command "archive" with "archived": false.';
  return { commandId, ok: false, error: { code: "conflict", message, hint } };
}
