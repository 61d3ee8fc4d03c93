/**
 * Calls that wait for an answer, over as many connections as it takes. A call that may be repeated is asked again on the
 * next connection; any other that was under way when its connection went is rejected, because it may or may not have
 * happened. Calls are asked in the order they were made.
 */
import type { Clock } from "../kit/clock.ts";
import { RoundtableError } from "../protocol/index.ts";
import { ConnectionLostError, type WireClient } from "./client.ts";

const CALLS_MAX = 1_000;
const BYTES_MAX = 8 * 1024 * 1024;
/** A wish that is not to be repeated is of its moment: it is not carried out when the moment is long gone. */
const UNSENT_MS_MAX = 30_000;

export interface Question<T> {
  ask(client: WireClient): Promise<T>;
  /** Asking twice is as good as asking once. */
  readonly isRepeatable: boolean;
  /** What is kept until the answer comes. */
  readonly bytes: number;
  /** Nobody waits for the answer any more: the call is rejected with its reason and not asked again. */
  readonly signal?: AbortSignal | undefined;
}

interface Call {
  /** Asks, and settles the call unless the connection is lost meanwhile. */
  ask(client: WireClient): Promise<void>;
  reject(error: unknown): void;
  readonly isRepeatable: boolean;
  sentOver: WireClient | undefined;
}

export interface OutboxOptions {
  readonly clock: Clock;
  /** The host has answered. */
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

  call<T>(question: Question<T>): Promise<T> {
    const refusal = this.#over ?? this.#refusalOf(question);
    if (refusal !== undefined) return Promise.reject(refusal);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const call: Call = {
      ask: async (client) => resolve(await question.ask(client)),
      reject,
      isRepeatable: question.isRepeatable,
      sentOver: undefined,
    };
    this.#calls.add(call);
    this.#bytes += question.bytes;
    const cancelExpiry = call.isRepeatable ? () => {} : this.#expire(call);
    const { signal } = question;
    const giveUp = (): void => {
      // In this step: with the next one a connection may be there that would ask it.
      this.#calls.delete(call);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    const forget = (): void => {
      cancelExpiry();
      signal?.removeEventListener("abort", giveUp);
      this.#calls.delete(call);
      this.#bytes -= question.bytes;
    };
    promise.then(forget, forget);
    if (this.#client !== undefined) this.#send(call, this.#client);
    return promise;
  }

  /** A new connection is there: everything that has no answer yet goes over it. */
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

  #refusalOf({ bytes }: Question<unknown>): RoundtableError | undefined {
    if (bytes > BYTES_MAX) {
      return new RoundtableError("too_large", `A command has at most ${BYTES_MAX} bytes; this one has ${bytes}.`);
    }
    if (this.#calls.size < CALLS_MAX && this.#bytes + bytes <= BYTES_MAX) return undefined;
    const backlog = `${this.#calls.size} calls with ${this.#bytes} bytes`;
    return new RoundtableError("busy", `Too much waits for the host already: ${backlog}.`, {
      hint: "Wait for some of the answers.",
    });
  }

  #send(call: Call, client: WireClient): void {
    call.sentOver = client;
    call.ask(client).then(
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
    // It was given up while it was under way.
    if (!this.#calls.has(call)) return undefined;
    // The next connection can be there before this call has heard of the end of the last one.
    return this.#client === undefined ? undefined : this.#send(call, this.#client);
  }

  #expire(call: Call): () => void {
    return this.#options.clock.after(UNSENT_MS_MAX, () => {
      if (call.sentOver !== undefined) return;
      call.reject(
        new RoundtableError("closed", `The host could not be reached for ${UNSENT_MS_MAX / 1000} s; nothing was sent.`),
      );
    });
  }
}

function mayHaveHappened(): RoundtableError {
  const message = "The connection was lost before the host answered; the command may or may not have happened.";
  return new RoundtableError("closed", message, {
    hint: "Look at the session, then repeat the command if it is still wanted.",
  });
}
