/** The two ways to a served table, straight or through a chaos proxy. */
import path from "node:path";
import { connectSocket, connectWebSocket } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import type { ClientConnection } from "../../src/protocol/index.ts";
import { ChaosProxy, type Fault } from "./chaos-proxy.ts";
import type { ServedTable } from "./served-table.ts";

export const carriers = ["socket", "web-socket"] as const;
export type Carrier = (typeof carriers)[number];

export function openProxy(
  carrier: Carrier,
  table: ServedTable,
  nextFault: () => Fault | undefined = () => undefined,
): Promise<ChaosProxy> {
  const isSocket = carrier === "socket";
  return ChaosProxy.open({
    listenAt: isSocket ? path.join(table.dataDir, `proxy-${newId()}.sock`) : 0,
    target: () => (isSocket ? table.doors.socketPath : Number(new URL(table.doors.url).port)),
    renamesHost: !isSocket,
    nextFault,
  });
}

/** As a program would, it looks anew at every try where the table is. */
export function connectThrough(proxy: ChaosProxy, table: ServedTable): () => Promise<ClientConnection> {
  const { place } = proxy;
  if (typeof place === "string") return () => connectSocket(place);
  return () => connectWebSocket(`http://127.0.0.1:${place}`, table.doors.token);
}
