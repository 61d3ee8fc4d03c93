/**
 * The client's end of a Connection: calls, commands and events, the same over an in-process pair and a local socket.
 * Loads in a browser; only calling `connectSocket` needs Node.
 */
export { createClient } from "./client.ts";
export type { Client, CommandBody, Subscription } from "./client-port.ts";
export { createConnectionPair } from "./connection-pair.ts";
export { connectSocket } from "./connect-socket.ts";
