/** Pings on a WebSocket. A peer that has not answered the last one when the next is due is gone. */
import type { WebSocket } from "ws";
import type { Clock } from "../../kit/clock.ts";

const PING_INTERVAL_MS = 15_000;

/** Returns how to stop; `onGone` is called before the socket is cut. */
export function keepAlive(
  socket: Pick<WebSocket, "ping" | "terminate" | "on">,
  clock: Clock,
  onGone = () => {},
): () => void {
  let isAnswered = true;
  let cancel = clock.after(PING_INTERVAL_MS, ping);
  socket.on("pong", () => (isAnswered = true));
  function ping(): void {
    if (!isAnswered) {
      onGone();
      return socket.terminate();
    }
    isAnswered = false;
    socket.ping(undefined, undefined, () => {});
    cancel = clock.after(PING_INTERVAL_MS, ping);
  }
  return () => cancel();
}
