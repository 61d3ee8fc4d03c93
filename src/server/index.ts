/**
 * HTTP and WebSocket transports on 127.0.0.1 for other programs and browsers, the guard in front of them, and the record
 * by which the server is found. Does not interpret frames.
 */
export { startServer, type RunningServer, type ServedPeople, type ServerAddress } from "./start-server.ts";
export { startProbePort } from "./probe-port.ts";
export { BIND_ADDRESS } from "./http/listen.ts";
export { startCompatPort, type CompatPort } from "./compat/compat-port.ts";
export {
  claimServer,
  findCrashedServer,
  findServer,
  readServerRecord,
  type ReachableServer,
  type ServerRecord,
} from "./server-record.ts";
export { movedNote, startOnStoredPort } from "./server-port.ts";
export { createDeviceStore, DEVICES_FILE, DeviceName, type Device } from "./sign-in/device-store.ts";
export { createReadOnlyHost } from "./sign-in/read-only-host.ts";
// What a team's sign-in is made of.
export { DeviceConnections } from "./sign-in/device-connections.ts";
export { checkKey, isSignedBy, messageOf, newServerKey, signWith, DeviceKey, ServerKey } from "./sign-in/keys.ts";
export { scopesOf, type DeviceLimits, type Principal, type Scope } from "./sign-in/principal.ts";
export { newSecret, newTypedCode, plainCode } from "./sign-in/secrets.ts";
export type {
  Challenge,
  CodeOptions,
  DeviceToken,
  ListedDevice,
  NewDevice,
  Registered,
  SignIn,
  SignInOffer,
} from "./sign-in/sign-in.ts";
export type { PageFile } from "./routes/all-routes.ts";
export type { ImportFile, SessionDefaults } from "./routes/session-defaults.ts";
export type { Configuration, ConfigurationChange, ShownConfiguration } from "./routes/settings.ts";
// What edges write routes with.
export type { AnswerCheck } from "./compat/answer-guard.ts";
export {
  compatReading,
  compatSocket,
  compatWriting,
  type CompatDeps,
  type CompatWire,
  type OpenCompatWire,
} from "./compat/compat-wire.ts";
export { checkStoredSize, createJsonStore, type JsonStore } from "./compat/json-store.ts";
export { CALL_ID, callHost, runCommand, sendCommand } from "./connections/call-host.ts";
export { beginStream, endResponse } from "./connections/event-stream.ts";
export { keepAlive } from "./connections/web-socket-connection.ts";
export { pathParam } from "./routes/policies.ts";
export { alreadySent, answer, answerErrorOf, JSON_TYPE, readBody, readJson, statusOf } from "./http/answer.ts";
export type { Policy, Route, RouteContext } from "./http/policy.ts";
export { refuseSocket } from "./http/refuse.ts";
export type { ServedHost } from "./routes/policies.ts";
