/**
 * The client's end of a Connection: calls, commands and events, the same over an in-process pair, a local socket and
 * WebSocket. Loads in a browser; only calling `connectSocket` needs Node.
 */
export { createClient } from "./client.ts";
export { createLastingClient, retryDelayMs } from "./lasting-client.ts";
export type {
  Client,
  CommandBody,
  ConnectionHint,
  ConnectionState,
  LastingClient,
  LastingClientOptions,
  Subscription,
} from "./client-port.ts";
export type { CreateRequest, StoreNotice } from "./calls.ts";
export {
  changePlan,
  createPlanned,
  planSession,
  type PlannedSession,
  type SessionDefaults,
} from "./planned-session.ts";
export { newClientId, stillRunning, type ClientKind } from "./client-kinds.ts";
export { connectSocket, connectWebSocket, createConnectionPair } from "./connections.ts";
export { attachFile, type AttachedFile } from "./put-blob.ts";
export {
  followSession,
  isSessionGone,
  readHead,
  readTranscript,
  transcriptFold,
  viewSession,
  type Fold,
  type FollowedSession,
} from "./follow-session.ts";
export { AttachedSession } from "./attached-session.ts";
export { matchSessions, type SessionMatch } from "./match-sessions.ts";
export { ANSWER_GRACE_MS, createRequestQueue, type RequestQueue } from "./request-queue.ts";
