/** A separate port for probes and metrics, in plain HTTP: its routes are open to anyone who can reach it. */
import { getRequestListener } from "@hono/node-server";
import { createApp, createHttpServer, listen } from "./http/listen.ts";
import { serverLimits } from "./http/limits.ts";
import { createRouteTable, type Route } from "./http/policy.ts";

export interface ProbePort {
  close(): Promise<void>;
}

/** Rejects with code "busy" when the port is in use. */
export async function startProbePort(
  { address, port }: { readonly address: string; readonly port: number },
  routes: readonly Route[],
): Promise<ProbePort> {
  const server = createHttpServer(serverLimits);
  const handle = getRequestListener(createApp(createRouteTable(routes)).fetch, { overrideGlobalObjects: false });
  server.on("request", (request, response) => void handle(request, response));
  await listen(server, port, address, "Choose another one with --probes.");
  return {
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}
