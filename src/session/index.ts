/**
 * One session: executes commands, decides whose turn it is, appends events. No files, no processes: log, agent factory
 * and clock are injected.
 * `command` never rejects; every turn, tool call, request and delivery settles; nothing starts automatically after an
 * interrupt or a restart.
 */
export { createSession, openSession, type Session } from "./session.ts";
export { foldMore, loadFold, emptyFold, snapshotOfFold, type Loaded } from "./recovery/snapshots.ts";
export { addressOf, fileMentionIn } from "./delivery/addressing.ts";
export { checkTextSize } from "./delivery/message-text.ts";
export type { WhyNotWritable } from "./check-writable.ts";
export type { ListFiles } from "./controller.ts";
export type { Fork, ForkRequest } from "./fork/command.ts";
export { copyFork, createCopyClock, type CopyClock, type ForkCopy, type Forked } from "./fork/copy.ts";
export type { ExternalTurns, ExternalTurnEnd } from "./turn/external-turns.ts";
