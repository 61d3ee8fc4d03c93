/**
 * HTTP and WebSocket transports on 127.0.0.1 for other programs and browsers, the guard in front of them, and the record
 * by which the server is found. Does not interpret frames.
 */
export { startServer, type RunningServer } from "./start-server.ts";
export { BIND_ADDRESS } from "./http/listen.ts";
export { startCompatPort, type CompatPort } from "./compat/compat-port.ts";
export { compatWireNames } from "./compat/compat-wires.ts";
export {
  claimServer,
  findCrashedServer,
  findServer,
  readServerRecord,
  type ReachableServer,
  type ServerRecord,
} from "./server-record.ts";
export type { PageFile } from "./routes/all-routes.ts";
export type { SessionDefaults } from "./routes/session-defaults.ts";
