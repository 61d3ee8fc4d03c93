/**
 * The carriers for other programs and browsers: HTTP and WebSocket on 127.0.0.1, one guard in front of all of it, and
 * the record by which a server is found. Nothing here knows what a frame says.
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
