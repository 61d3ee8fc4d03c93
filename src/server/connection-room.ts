/**
 * Places for connections. A stranger is one that has not shown the token; strangers push out only each other, the one
 * that has waited longest first: whoever comes with a whole head is heard, however many others sit there and say nothing.
 */
import type { Duplex } from "node:stream";
import { refuseSocket } from "./refuse.ts";
import type { ServerLimits } from "./server-limits.ts";

export const NO_PLACE = { status: 503, message: "Too many connections. Try again in a moment." } as const;

export interface ConnectionRoom {
  readonly strangers: number;
  readonly known: number;
  /** A connection that nothing is known about. */
  seat(socket: Duplex): void;
  /** It has shown the token. False when every place for such is taken. */
  know(socket: Duplex): boolean;
}

export function createConnectionRoom(limits: Pick<ServerLimits, "strangersMax" | "connectionsMax">): ConnectionRoom {
  const strangers = new Set<Duplex>();
  const known = new Set<Duplex>();
  const knownMax = Math.max(1, limits.connectionsMax - limits.strangersMax);
  return {
    get strangers() {
      return strangers.size;
    },
    get known() {
      return known.size;
    },
    seat(socket) {
      if (strangers.size >= limits.strangersMax) {
        const [oldest] = strangers;
        if (oldest !== undefined) {
          strangers.delete(oldest);
          sendAway(oldest);
        }
      }
      strangers.add(socket);
      socket.once("close", () => {
        strangers.delete(socket);
        known.delete(socket);
      });
    },
    know(socket) {
      if (known.has(socket)) return true;
      if (known.size >= knownMax) return false;
      strangers.delete(socket);
      known.add(socket);
      return true;
    },
  };
}

/** In the middle of an answer there is no place for a second one. */
function sendAway(socket: Duplex & { readonly bytesWritten?: number }): void {
  if (socket.writable && (socket.bytesWritten ?? 0) === 0) refuseSocket(socket, NO_PLACE);
  else socket.destroy();
}
