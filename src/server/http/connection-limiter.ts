/**
 * Places for connections. A stranger is one that has not shown the token; strangers push out only each other, the one
 * that has waited longest first: whoever comes with a whole head is heard, however many others sit there and say nothing.
 */
import type { Duplex } from "node:stream";
import { refuseSocket } from "./refuse.ts";
import type { ServerLimits } from "./limits.ts";

export const TOO_MANY_CONNECTIONS = { status: 503, message: "Too many connections. Try again in a moment." } as const;

export interface ConnectionLimiter {
  readonly unauthenticated: number;
  readonly authenticated: number;
  /** A connection that nothing is known about. */
  add(socket: Duplex): void;
  /** It has shown the token. False when every place for such is taken. */
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

/** In the middle of an answer there is no place for a second one. */
function disconnect(socket: Duplex & { readonly bytesWritten?: number }): void {
  if (socket.writable && (socket.bytesWritten ?? 0) === 0) refuseSocket(socket, TOO_MANY_CONNECTIONS);
  else socket.destroy();
}
