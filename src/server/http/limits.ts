import type { Duplex } from "node:stream";
import { refuseSocket } from "./refuse.ts";

/**
 * Timeouts and connection limits. Unauthenticated connections have short timeouts and a separate limit, so that they never
 * displace authenticated ones.
 */
export interface ServerLimits {
  /** For the request head, from the start of the connection. */
  readonly headMs: number;
  /** For head and body. */
  readonly requestMs: number;
  /** Between a response and the next request. */
  readonly keepAliveMs: number;
  /** For a socket without traffic in either direction. Longer than three heartbeats of a stream. */
  readonly silentMs: number;
  /** How often head and request timeouts are checked. */
  readonly checkMs: number;
  /** Unauthenticated connections. One more disconnects the oldest of them with 503. */
  readonly unauthenticatedMax: number;
  /** All connections. Authenticated ones get what the unauthenticated limit leaves; one more is refused with 503. */
  readonly connectionsMax: number;
}

export const serverLimits: ServerLimits = {
  headMs: 5_000,
  requestMs: 30_000,
  keepAliveMs: 5_000,
  silentMs: 50_000,
  checkMs: 1_000,
  // Clients that reconnect together after a restart are unauthenticated at first, too.
  unauthenticatedMax: 1_024,
  connectionsMax: 4_096,
};

export const TOO_MANY_CONNECTIONS = { status: 503, message: "Too many connections. Try again in a moment." } as const;

export interface ConnectionLimiter {
  readonly unauthenticated: number;
  readonly authenticated: number;
  /**
   * Registers a new, unauthenticated connection; disconnects the oldest such one when there are too many. With TLS, this is
   * the connection below it.
   */
  add(socket: Duplex): void;
  /** False when the limit of authenticated connections is reached. */
  markAuthenticated(socket: Duplex): boolean;
}

export function createConnectionLimiter(
  limits: Pick<ServerLimits, "unauthenticatedMax" | "connectionsMax">,
): ConnectionLimiter {
  const unauthenticated = new Set<Duplex>();
  const authenticated = new Set<Duplex>();
  const authenticatedMax = Math.max(1, limits.connectionsMax - limits.unauthenticatedMax);
  return {
    get unauthenticated() {
      return unauthenticated.size;
    },
    get authenticated() {
      return authenticated.size;
    },
    add(socket) {
      if (unauthenticated.size >= limits.unauthenticatedMax) {
        const [oldest] = unauthenticated;
        if (oldest !== undefined) {
          unauthenticated.delete(oldest);
          disconnect(oldest);
        }
      }
      unauthenticated.add(socket);
      socket.once("close", () => {
        unauthenticated.delete(socket);
        authenticated.delete(socket);
      });
    },
    markAuthenticated(socket) {
      if (authenticated.has(socket)) return true;
      if (authenticated.size >= authenticatedMax) return false;
      unauthenticated.delete(socket);
      authenticated.add(socket);
      return true;
    },
  };
}

/** Sends 503 unless a response has already started. */
function disconnect(socket: Duplex & { readonly bytesWritten?: number }): void {
  if (socket.writable && (socket.bytesWritten ?? 0) === 0) refuseSocket(socket, TOO_MANY_CONNECTIONS);
  else socket.destroy();
}
