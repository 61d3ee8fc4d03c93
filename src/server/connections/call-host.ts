/** One request to the host and its answer, over an in-process connection that lasts until the answer. */
import type { Host } from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import {
  fromAnswerError,
  granted,
  PROTOCOL_VERSION,
  RoundtableError,
  type Ack,
  type ClientFrame,
  type Command,
  type HostConnection,
  type HostFrame,
  type Json,
} from "../../protocol/index.ts";

/** Long enough for a slow store. */
const ANSWER_TIMEOUT_MS = 30_000;
export const CALL_ID = "q";

export interface HostCallDeps {
  readonly host: Pick<Host, "serve">;
  readonly clock: Clock;
}

type HostCall = Extract<ClientFrame, { frame: "create" | "snapshot" | "page" }>;
type CommandFrame = Extract<ClientFrame, { frame: "command" }>;

export async function callHost(deps: HostCallDeps, clientId: string, call: HostCall): Promise<Json> {
  const frame = await exchange(deps, clientId, call);
  if (frame.frame !== "reply") throw new Error(`the host answered a request with a frame "${frame.frame}"`);
  if (frame.ok) return frame.result;
  throw fromAnswerError(frame.error);
}

export async function sendCommand(deps: HostCallDeps, clientId: string, command: CommandFrame): Promise<Ack> {
  const frame = await exchange(deps, clientId, command);
  if (frame.frame === "ack") return frame.ack;
  const { commandId } = command.command;
  if (frame.frame === "reply" && !frame.ok) return { commandId, ok: false, error: frame.error };
  throw new Error(`the host answered a command with a frame "${frame.frame}"`);
}

/** Resolves when the command is in the log; throws when it is refused. */
export async function runCommand(
  deps: HostCallDeps,
  clientId: string,
  sessionId: string,
  command: Command,
): Promise<{ seq: number }> {
  const { seq } = await runCommandForAck(deps, clientId, sessionId, command);
  return { seq };
}

/** The same, with the whole acknowledgement. */
async function runCommandForAck(
  deps: HostCallDeps,
  clientId: string,
  sessionId: string,
  command: Command,
): Promise<Extract<Ack, { ok: true }>> {
  return granted(await sendCommand(deps, clientId, { frame: "command", sessionId, command }));
}

function exchange({ host, clock }: HostCallDeps, clientId: string, call: ClientFrame): Promise<HostFrame> {
  const { promise, resolve, reject } = Promise.withResolvers<HostFrame>();
  let frameListener: ((frame: ClientFrame) => void) | undefined;
  let closeListener: ((reason: string) => void) | undefined;
  const cancel = clock.after(ANSWER_TIMEOUT_MS, () => {
    reject(
      new RoundtableError("store_unavailable", `The request timed out after ${ANSWER_TIMEOUT_MS / 1000} seconds.`, {
        hint: "It may still take effect. Check the session, or repeat it with the same ids.",
      }),
    );
    end("timed out");
  });
  function end(reason: string): void {
    cancel();
    const listener = closeListener;
    closeListener = undefined;
    listener?.(reason);
  }
  const connection: HostConnection = {
    send(frame) {
      if (frame.frame !== "reply" && frame.frame !== "ack") return;
      resolve(frame);
      // Not from inside the host's own send.
      queueMicrotask(() => end("answered"));
    },
    onFrame: (listener) => (frameListener = listener),
    onClose: (listener) => (closeListener = listener),
    close(reason) {
      reject(new RoundtableError("closed", `The server is not accepting requests: ${reason}.`));
      end(reason);
    },
    backlogBytes: 0,
  };
  host.serve(connection);
  frameListener?.({ frame: "hello", protocol: PROTOCOL_VERSION, clientId });
  frameListener?.(call);
  return promise;
}
