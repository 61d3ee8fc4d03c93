/** A TCP relay in front of nodes: one address for all of them, connections that can be cut, and a choice of the node. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Relay {
  readonly port: number;
  /** Node of new connections. */
  target: number;
  /** Ends all connections, or those to one node. */
  cut(target?: number): void;
  close(): Promise<void>;
}

export async function startRelay(): Promise<Relay> {
  const open = new Map<Socket, number>();
  const server = createServer((client) => {
    const { target } = relay;
    const upstream = connect(target, "127.0.0.1");
    open.set(client, target);
    const end = (): void => {
      open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const one of [client, upstream]) one.on("error", end).on("close", end);
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    target: 0,
    cut(target) {
      for (const [socket, at] of open) if (target === undefined || at === target) socket.destroy();
    },
    async close() {
      relay.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return relay;
}
