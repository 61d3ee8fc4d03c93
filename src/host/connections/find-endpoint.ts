/**
 * Finds the endpoint of a session: this process when the lock is free, else the holder of the lock. A holder that has
 * just died or is shutting down is retried until one of the waiting processes takes the session over.
 */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { createLocalEndpoint } from "./local-endpoint.ts";
import type { Entry } from "../sessions/open-sessions.ts";
import { EndpointLostError, type SessionEndpoint, type EndpointSink } from "./endpoint.ts";
import { connectRemoteEndpoint } from "./remote-endpoint.ts";

const REACH_TIMEOUT_MS = 20_000;
const RETRY_MS_MIN = 10;
const RETRY_MS_MAX = 250;

/** A session of this data directory, or one whose endpoint is made by another host than that of files. */
export type Reachable = Entry | { readonly kind: "served"; readonly open: OpenEndpoint };
export type OpenEndpoint = (client: { readonly clientId: string; readonly sink: EndpointSink }) => SessionEndpoint;

export interface FindEndpointOptions {
  sessionId: string;
  clientId: string;
  environment: CarriedEnvironment | undefined;
  enter: (sessionId: string) => Promise<Reachable>;
  clock: Clock;
  sink: EndpointSink;
  /** Its reason rejects the search. */
  signal: AbortSignal;
}

/** Rejects with "locked" when the holder stays out of reach, with the reason when the session cannot be opened. */
export async function findEndpoint(options: FindEndpointOptions): Promise<SessionEndpoint> {
  const { sessionId, clock, signal } = options;
  const deadline = clock.monotonic() + REACH_TIMEOUT_MS;
  for (let delayMs = RETRY_MS_MIN; ; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
    const endpoint = await tryOnce(options);
    if (signal.aborted) endpoint?.leave();
    signal.throwIfAborted();
    if (endpoint !== undefined) return endpoint;
    if (clock.monotonic() >= deadline) {
      throw new RoundtableError("locked", `Session ${sessionId} is held by a process that cannot be reached.`, {
        hint: "Find its pid in the session's lock.json, end it, and try again.",
      });
    }
    await new Promise<void>((resolve) => {
      clock.after(delayMs, resolve);
    });
  }
}

/** Undefined when the named holder cannot be reached. */
async function tryOnce(options: FindEndpointOptions): Promise<SessionEndpoint | undefined> {
  const { sessionId, clientId, environment, enter, clock, sink } = options;
  const entry = await enter(sessionId);
  if (entry.kind === "served") return entry.open({ clientId, sink });
  if (entry.kind === "here") {
    // The session was closed meanwhile, and its end was already announced: this endpoint would never learn of it.
    if (entry.local.hasEnded) {
      entry.release();
      return undefined;
    }
    const { local, release } = entry;
    return createLocalEndpoint({ local, release, clientId, environment, sink, clock });
  }
  try {
    return await connectRemoteEndpoint({
      socketPath: entry.holder.socket,
      sessionId,
      clientId,
      environment,
      sink,
      clock,
    });
  } catch (error) {
    if (error instanceof EndpointLostError) return undefined;
    throw error;
  }
}
