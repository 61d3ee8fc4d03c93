/** The two ways to a served table, straight or through a chaos proxy. */
import path from "node:path";
import { connectSocket, connectWebSocket } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import type { ClientConnection } from "../../src/protocol/index.ts";
import { ChaosProxy, type Fault } from "./chaos-proxy.ts";
import type { ServedSession } from "./served-session.ts";

export const carriers = ["socket", "web-socket"] as const;
export type Carrier = (typeof carriers)[number];

export function openProxy(
  carrier: Carrier,
  served: ServedSession,
  nextFault: () => Fault | undefined = () => undefined,
): Promise<ChaosProxy> {
  const isSocket = carrier === "socket";
  return ChaosProxy.open({
    listenAt: isSocket ? path.join(served.dataDir, `proxy-${newId()}.sock`) : 0,
    target: () => (isSocket ? served.doors.socketPath : Number(new URL(served.doors.url).port)),
    renamesHost: !isSocket,
    nextFault,
  });
}

/** As a program would, it looks anew at every try where the table is. */
export function connectThrough(proxy: ChaosProxy, served: ServedSession): () => Promise<ClientConnection> {
  const { target } = proxy;
  if (typeof target === "string") return () => connectSocket(target);
  return () => connectWebSocket(`http://127.0.0.1:${target}`, served.doors.token);
}
