/**
 * Finds where a session is written now: here, when its lock is free, else with the process that holds it. A holder that
 * has just died or is just leaving is waited out, so that one of those who look for it takes the session over.
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

export interface FindEndpointOptions {
  sessionId: string;
  clientId: string;
  environment: CarriedEnvironment | undefined;
  enter: (sessionId: string) => Promise<Entry>;
  clock: Clock;
  sink: EndpointSink;
  /** True when nobody wants the place any more. */
  isOver: () => boolean;
}

/** Rejects with "locked" when the holder stays out of reach, with the reason when the session cannot be opened. */
export async function findEndpoint(options: FindEndpointOptions): Promise<SessionEndpoint> {
  const { sessionId, clock, isOver } = options;
  const deadline = clock.monotonic() + REACH_TIMEOUT_MS;
  for (let delayMs = RETRY_MS_MIN; ; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
    const endpoint = await tryOnce(options);
    if (isOver()) {
      endpoint?.leave();
      throw new RoundtableError("closed", "The connection was closed.");
    }
    if (endpoint !== undefined) return endpoint;
    if (clock.monotonic() >= deadline) {
      throw new RoundtableError("locked", `Session ${sessionId} is held by a process that cannot be reached.`, {
        hint: "Find it in the session's lock.json, end it, and try again.",
      });
    }
    await new Promise<void>((resolve) => {
      clock.after(delayMs, resolve);
    });
  }
}

/** Undefined when a holder was named but is not to be found. */
async function tryOnce(options: FindEndpointOptions): Promise<SessionEndpoint | undefined> {
  const { sessionId, clientId, environment, enter, clock, sink } = options;
  const entry = await enter(sessionId);
  if (entry.kind === "here") {
    // Closed as a whole before this went on: nobody would tell the place so any more.
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
