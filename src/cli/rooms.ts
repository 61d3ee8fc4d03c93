/** Rooms used by benchmarks of the packed product; bundled as `dist/rooms.js`, used by no command. */
export { createAgentFactory } from "../agents/index.ts";
export { embedded } from "./edges.ts";
export { createHost, readTranscript, rebuildSearchIndex } from "../host/index.ts";
export { openFileLog } from "../log/index.ts";
export { claimServer, startServer } from "../server/index.ts";
export { openPostgresStore } from "../team/index.ts";
export { dropFrozenPages, empty, fold, reduce, summaryOf, toSnapshot } from "../transcript/index.ts";
