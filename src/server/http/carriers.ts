/**
 * The connections under the sockets of requests. With TLS these are two objects, and nothing public leads from one to the
 * other; but both have the same two ends.
 */
import type { IncomingMessage, Server } from "node:http";

type Socket = IncomingMessage["socket"];

/** Finds the connection that the server has accepted; undefined when it is gone. */
export function followCarriers(server: Server): (socket: Socket) => Socket | undefined {
  const carriers = new Map<string, Socket>();
  server.on("connection", (carrier: Socket) => {
    const ends = endsOf(carrier);
    carriers.set(ends, carrier);
    carrier.once("close", () => {
      if (carriers.get(ends) === carrier) carriers.delete(ends);
    });
  });
  return (socket) => (socket.remotePort === undefined ? undefined : carriers.get(endsOf(socket)));
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(" ");
}
