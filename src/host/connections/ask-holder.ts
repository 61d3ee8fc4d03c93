/** Requests to the process that holds a session, over its socket: deleting, compressing, storing a file. */
import { createHash } from "node:crypto";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { connectLineSocket, type LineSocket } from "../../kit/io/line-socket.ts";
import type { Holder } from "../../log/index.ts";
import {
  blobParts,
  fromAnswerError,
  PROTOCOL_VERSION,
  RoundtableError,
  type BlobPart,
  type BlobPartAnswer,
  type BlobRef,
  type ClientFrame,
  type HostFrame,
  type Json,
} from "../../protocol/index.ts";

/** Compressing a very long log takes a while. */
const ANSWER_TIMEOUT_MS = 120_000;

export interface Question {
  readonly frame: "delete" | "compress";
  readonly sessionId: string;
  readonly ifEmpty?: true;
}

type HolderRequest = Question | (BlobPart & { readonly frame: "put_blob"; readonly sessionId: string });

/** Rejects with the holder's own error, and with "locked" when it is unreachable or incompatible. */
export async function askHolder(holder: Holder, question: Question, clock: Clock): Promise<Json> {
  return atHolder({ holder, sessionId: question.sessionId, clock }, (ask) => ask(question));
}

/** Stores a file in a session that another process holds. */
export async function putAtHolder(
  holder: Holder,
  sessionId: string,
  bytes: Uint8Array,
  clock: Clock,
): Promise<BlobRef> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return atHolder({ holder, sessionId, clock }, async (ask) => {
    for (const part of blobParts(bytes, sha256)) {
      const { blob } = (await ask({ frame: "put_blob", sessionId, ...part })) as unknown as BlobPartAnswer;
      if (blob !== undefined) return blob;
    }
    throw outOfReach(sessionId, "it did not confirm the upload");
  });
}

interface Reached {
  readonly holder: Holder;
  readonly sessionId: string;
  readonly clock: Clock;
}

async function atHolder<T>(
  { holder, sessionId, clock }: Reached,
  work: (ask: (question: HolderRequest) => Promise<Json>) => Promise<T>,
): Promise<T> {
  const socket = await connectLineSocket(holder.socket).catch((cause: unknown) => {
    throw outOfReach(sessionId, "it does not accept connections", cause);
  });
  const connection = new HolderConnection(socket, sessionId, clock);
  try {
    return await work((question) => connection.ask(question));
  } finally {
    socket.close("answered");
  }
}

/** One request at a time. */
class HolderConnection {
  readonly #socket: LineSocket;
  readonly #sessionId: string;
  readonly #clock: Clock;
  #pending: { id: string; resolve(result: Json): void; reject(error: Error): void } | undefined;
  #over: RoundtableError | undefined;

  constructor(socket: LineSocket, sessionId: string, clock: Clock) {
    this.#socket = socket;
    this.#sessionId = sessionId;
    this.#clock = clock;
    socket.onBad(() => this.#end("it sent an unreadable line"));
    socket.onClose((reason) => this.#end(reason));
    // The holder is the same program with the same protocol version: its frames are not validated.
    socket.onValue((value) => this.#onFrame(value as HostFrame));
    this.#send({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: newId() });
  }

  async ask(question: HolderRequest): Promise<Json> {
    if (this.#over !== undefined) throw this.#over;
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    const id = newId();
    this.#pending = { id, resolve, reject };
    const cancel = this.#clock.after(ANSWER_TIMEOUT_MS, () => this.#end("it does not answer"));
    this.#send({ ...question, id });
    return await promise.finally(cancel);
  }

  #send(frame: ClientFrame): void {
    this.#socket.send(frame);
  }

  #onFrame(frame: HostFrame): void {
    if (frame.frame === "welcome" && frame.protocol !== PROTOCOL_VERSION) this.#end(`its version is ${frame.version}`);
    if (frame.frame !== "reply") return;
    // Errors about unreadable requests have no id.
    if (frame.ok) this.#pending?.resolve(frame.result);
    else this.#pending?.reject(fromAnswerError(frame.error));
  }

  #end(why: string): void {
    this.#over ??= outOfReach(this.#sessionId, why);
    this.#pending?.reject(this.#over);
  }
}

function outOfReach(sessionId: string, why: string, cause?: unknown): RoundtableError {
  return new RoundtableError("locked", `Another process holds session ${sessionId}, and ${why}.`, {
    hint: "Close the session there, or end that process, and try again.",
    cause,
  });
}
