/**
 * Pending calls across connections. A repeatable call is sent again on the next connection; any other that was in
 * flight when its connection was lost is rejected, because it may or may not have taken effect. Calls are sent in the order
 * they were made.
 */
import type { Clock } from "../kit/clock.ts";
import { RoundtableError } from "../protocol/index.ts";
import { ConnectionLostError, type WireClient } from "./client.ts";

const CALLS_MAX = 1_000;
const BYTES_MAX = 8 * 1024 * 1024;
/** An unrepeatable call that could not be sent expires: carried out much later it would surprise the user. */
const UNSENT_MS_MAX = 30_000;

export interface CallRequest<T> {
  send(client: WireClient): Promise<T>;
  /** Sending twice has the effect of sending once. */
  readonly isRepeatable: boolean;
  /** Held in memory until the answer; counts towards the limit. */
  readonly bytes: number;
  /** Aborting rejects the call with the signal's reason and does not send it again. */
  readonly signal?: AbortSignal | undefined;
}

interface Call {
  /** Settles the call with the answer; rejects when the connection is lost. */
  send(client: WireClient): Promise<void>;
  reject(error: unknown): void;
  readonly isRepeatable: boolean;
  sentOver: WireClient | undefined;
}

export interface OutboxOptions {
  readonly clock: Clock;
  readonly onAnswer: () => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #calls = new Set<Call>();
  #bytes = 0;
  #client: WireClient | undefined;
  #over: RoundtableError | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  call<T>(request: CallRequest<T>): Promise<T> {
    const refusal = this.#over ?? this.#refusalOf(request);
    if (refusal !== undefined) return Promise.reject(refusal);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const call: Call = {
      send: async (client) => resolve(await request.send(client)),
      reject,
      isRepeatable: request.isRepeatable,
      sentOver: undefined,
    };
    this.#calls.add(call);
    this.#bytes += request.bytes;
    const cancelExpiry = call.isRepeatable ? () => {} : this.#expire(call);
    const { signal } = request;
    const giveUp = (): void => {
      // Synchronously: a connection that opens in the next tick must not send it.
      this.#calls.delete(call);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    const forget = (): void => {
      cancelExpiry();
      signal?.removeEventListener("abort", giveUp);
      this.#calls.delete(call);
      this.#bytes -= request.bytes;
    };
    promise.then(forget, forget);
    if (this.#client !== undefined) this.#send(call, this.#client);
    return promise;
  }

  /** Sends everything that is unanswered over the new connection. */
  online(client: WireClient): void {
    this.#client = client;
    for (const call of this.#calls) if (call.sentOver === undefined) this.#send(call, client);
  }

  offline(): void {
    this.#client = undefined;
  }

  end(error: RoundtableError): void {
    this.#over = error;
    this.#client = undefined;
    for (const call of this.#calls) call.reject(error);
  }

  #refusalOf({ bytes }: CallRequest<unknown>): RoundtableError | undefined {
    if (bytes > BYTES_MAX) {
      return new RoundtableError("too_large", `The command is too large: ${bytes} bytes of at most ${BYTES_MAX}.`);
    }
    if (this.#calls.size < CALLS_MAX && this.#bytes + bytes <= BYTES_MAX) return undefined;
    const backlog = `${this.#calls.size} calls with ${this.#bytes} bytes`;
    return new RoundtableError("busy", `Too many calls are waiting for the host: ${backlog}.`, {
      hint: "Wait for pending calls to finish.",
    });
  }

  #send(call: Call, client: WireClient): void {
    call.sentOver = client;
    call.send(client).then(
      () => this.#options.onAnswer(),
      (error: unknown) => {
        if (error instanceof ConnectionLostError) return this.#lose(call);
        call.reject(error);
        return this.#options.onAnswer();
      },
    );
  }

  #lose(call: Call): void {
    call.sentOver = undefined;
    if (!call.isRepeatable) return call.reject(mayHaveHappened());
    // Aborted while in flight.
    if (!this.#calls.has(call)) return undefined;
    // The next connection may already be open when this call learns that the last one is gone.
    return this.#client === undefined ? undefined : this.#send(call, this.#client);
  }

  #expire(call: Call): () => void {
    return this.#options.clock.after(UNSENT_MS_MAX, () => {
      if (call.sentOver !== undefined) return;
      call.reject(
        new RoundtableError(
          "closed",
          `The host was unreachable for ${UNSENT_MS_MAX / 1000} s; the command was not sent.`,
        ),
      );
    });
  }
}

function mayHaveHappened(): RoundtableError {
  const message = "The connection was lost before the host answered; the command may or may not have taken effect.";
  return new RoundtableError("closed", message, {
    hint: "Check the session, then repeat the command if needed.",
  });
}
