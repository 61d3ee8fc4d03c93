/** A command issued by the host itself, over a connection that lasts until the answer. */
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import {
  fromAnswerError,
  PROTOCOL_VERSION,
  RoundtableError,
  type ClientFrame,
  type Command,
  type HostConnection,
} from "../../protocol/index.ts";

const ANSWER_TIMEOUT_MS = 30_000;

export interface InternalCommandDeps {
  readonly serve: (connection: HostConnection) => void;
  readonly clock: Clock;
  /** Recorded in the log as the sender. */
  readonly clientId: string;
}

/** Rejects with the session's error. */
export function runInternalCommand(deps: InternalCommandDeps, sessionId: string, command: Command): Promise<void> {
  const { serve, clock, clientId } = deps;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let frameListener: ((frame: ClientFrame) => void) | undefined;
  let closeListener: ((reason: string) => void) | undefined;
  const cancel = clock.after(ANSWER_TIMEOUT_MS, () => settle(() => reject(lost("the answer timed out"))));

  function settle(how: () => void): void {
    cancel();
    how();
    // Not from inside the host's own send.
    queueMicrotask(() => {
      const listener = closeListener;
      closeListener = undefined;
      listener?.("answered");
    });
  }

  serve({
    send(frame) {
      if (frame.frame === "ack" && frame.ack.ok) settle(resolve);
      else if (frame.frame === "ack" && !frame.ack.ok) {
        const { error } = frame.ack;
        settle(() => reject(fromAnswerError(error)));
      } else if (frame.frame === "reply" && !frame.ok) settle(() => reject(lost(frame.error.message)));
    },
    onFrame: (listener) => (frameListener = listener),
    onClose: (listener) => (closeListener = listener),
    close: (reason) => settle(() => reject(lost(reason))),
    backlogBytes: 0,
  });
  frameListener?.({ frame: "hello", protocol: PROTOCOL_VERSION, clientId });
  frameListener?.({ frame: "command", sessionId, command });
  return promise;
}

function lost(reason: string): RoundtableError {
  return new RoundtableError("closed", `The command failed: ${reason}.`);
}

export function createSendCommand(message: { text: string; to: string[]; origin: string }): Command {
  return { type: "send", commandId: newId(), clientMessageId: newId(), ...message };
}
