/** Wire 004: the WebSocket, the session operations and the small routes that clients of assistant use. */
import { answer, compatSocket, type CompatDeps, type CompatWire } from "../../../src/server/index.ts";
import { LoadOrder } from "./load-order.ts";
import { createMarkStore } from "./session-marks.ts";
import { createSessionOperations } from "./session-operations.ts";
import { SessionRooms } from "./session-room.ts";
import { createSmallRoutes } from "./small-routes.ts";
import { SocketHub } from "./socket-hub.ts";

export function createAssistantWire(deps: CompatDeps): CompatWire {
  const { host, clock, defaults, version, dataDir, refusalFor } = deps;
  const rooms = new SessionRooms({ host, clock });
  const marks = createMarkStore(dataDir);
  const loads = new LoadOrder(clock);
  const hub = new SocketHub({ host, clock, rooms, marks, loads, refusalFor });
  return {
    routes: [
      {
        method: "GET",
        path: "/ws",
        policy: compatSocket,
        // The guard passes only upgrades to this path, and those never reach a handler.
        handle: () => answer(426, { error: "This path only accepts WebSocket connections." }),
        upgrade: (request, socket, head) => hub.upgrade(request, socket, head),
      },
      ...createSessionOperations({
        host,
        clock,
        defaults,
        rooms,
        marks,
        loads,
        broadcast: (frame, name) => hub.broadcast(frame, name, true),
      }),
      ...createSmallRoutes({ defaults, marks, version }),
    ],
    close() {
      hub.close();
      rooms.closeAll("the server is shutting down");
    },
  };
}
