/**
 * The same routes behind a guard with a hole, or none: what an attack that is refused by the real server does to this
 * one shows that the attack is real.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { admit, type AdmissionCounts } from "../../src/server/http/admit.ts";
import { createConnectionLimiter, serverLimits } from "../../src/server/http/limits.ts";
import { judge, type RequestHead, type Verdict } from "../../src/server/http/guard.ts";
import type { RouteTable } from "../../src/server/http/policy.ts";
import { TOKEN_HOLDER } from "../../src/server/sign-in/principal.ts";
import { createApp } from "../../src/server/http/listen.ts";

export interface HoleyCopy {
  readonly port: number;
  readonly counts: AdmissionCounts;
  close(): Promise<void>;
}

export interface HoleyCopyOptions {
  readonly routes: RouteTable;
  readonly token: string;
  /** What the guard is shown instead of the head that came. */
  readonly blind: (head: RequestHead, right: { host: string; token: string; routes: RouteTable }) => RequestHead;
}

export async function startHoleyCopy({ routes, token, blind }: HoleyCopyOptions): Promise<HoleyCopy> {
  const server = createServer({ requireHostHeader: false });
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const guard = {
    routes,
    hosts: [host],
    principalOf: (given: string) => (given === token ? TOKEN_HOLDER : undefined),
    failures: { note: () => true },
  };
  const counts = admit(server, {
    judge: (head): Verdict => judge(blind(head, { host, token, routes }), guard),
    limiter: createConnectionLimiter(serverLimits),
    answer: getRequestListener(createApp(routes).fetch, { overrideGlobalObjects: false }),
    upgrade(_request, socket) {
      // The peer has seen enough and hangs up.
      socket.on("error", () => socket.destroy());
      socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    },
  });
  return {
    port,
    counts,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
