/** Something that only the process which holds a session can do, asked of it at its socket. */
import type { Clock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import { connectLineSocket } from "../kit/line-socket.ts";
import type { Holder } from "../log/index.ts";
import {
  fromAnswerError,
  PROTOCOL_VERSION,
  RoundtableError,
  type ClientFrame,
  type HostFrame,
  type Json,
} from "../protocol/index.ts";

/** Compressing a very long log takes a while. */
const ANSWER_TIMEOUT_MS = 120_000;

export interface Question {
  readonly frame: "delete" | "compress";
  readonly sessionId: string;
}

/** Rejects with what the holder refuses it for, and with "locked" when it cannot be reached or does not understand. */
export async function askHolder(holder: Holder, question: Question, clock: Clock): Promise<Json> {
  const socket = await connectLineSocket(holder.socket).catch((cause: unknown) => {
    throw outOfReach(question, "it does not listen", cause);
  });
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  const cancel = clock.after(ANSWER_TIMEOUT_MS, () => reject(outOfReach(question, "it does not answer")));
  const id = newId();
  socket.onBad(() => reject(outOfReach(question, "it sent what cannot be read")));
  socket.onClose((reason) => reject(outOfReach(question, reason)));
  // The holder is this same program and its version was compared: its frames are trusted by shape.
  socket.onValue((value) => {
    const frame = value as HostFrame;
    if (frame.frame === "welcome" && frame.protocol !== PROTOCOL_VERSION) {
      reject(outOfReach(question, `it is of version ${frame.version}`));
    }
    if (frame.frame !== "reply") return;
    if (frame.ok) resolve(frame.result);
    else reject(fromAnswerError(frame.error));
  });
  const send = (frame: ClientFrame) => socket.send(frame);
  send({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: newId() });
  send({ ...question, id });
  try {
    return await promise;
  } finally {
    cancel();
    socket.close("answered");
  }
}

function outOfReach({ sessionId }: Question, why: string, cause?: unknown): RoundtableError {
  return new RoundtableError("locked", `Another program holds session ${sessionId}, and ${why}.`, {
    hint: "Close the session there, or end that program, and try again.",
    cause,
  });
}
