/**
 * Every event of a session. Views, wires and stores know events from here only. Unknown types are carried, never
 * dropped.
 */
import type * as z from "zod";
import { agentEvents, maintenanceEvents, councilEvents, requestEvents, workEvents } from "./coordination-events.ts";
import { sessionEvents, textEvents, toolEvents, turnEvents, userEvents } from "./conversation-events.ts";
import type { SyncClass } from "./define.ts";

export const eventDefinitions = [
  ...sessionEvents,
  ...userEvents,
  ...turnEvents,
  ...textEvents,
  ...toolEvents,
  ...councilEvents,
  ...requestEvents,
  ...agentEvents,
  ...workEvents,
  ...maintenanceEvents,
] as const;

type Definition = (typeof eventDefinitions)[number];
type Inferred<D> = D extends { schema: infer S extends z.ZodType } ? z.infer<S> : never;

export type SessionEvent = Inferred<Definition>;
export type EventType = SessionEvent["type"];
export type EventOf<Type extends EventType> = Extract<SessionEvent, { type: Type }>;

type EnvelopeKey = "seq" | "epoch" | "id" | "ts" | "sessionId";
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** An event before the log has numbered and stamped it. */
export type EventDraft = DistributiveOmit<SessionEvent, EnvelopeKey>;
export type DraftOf<Type extends EventType> = Omit<EventOf<Type>, EnvelopeKey>;

/** A type that this version does not know: stored and passed on untouched, shown by a generic fallback. */
export interface UnknownEvent {
  seq: number;
  epoch: number;
  id: string;
  ts: number;
  sessionId: string;
  type: string;
  turnId?: string | undefined;
  member?: string | undefined;
  [key: string]: unknown;
}

const byType: ReadonlyMap<string, Definition> = new Map(eventDefinitions.map((one) => [one.type, one]));

export function definitionOf(type: string): Definition | undefined {
  return byType.get(type);
}

/** Unknown types are synced, in case they matter. */
export function syncClassOf(type: string): SyncClass {
  return byType.get(type)?.syncClass ?? "sync";
}

export function isKnownEvent(event: { type: string }): event is SessionEvent {
  return byType.has(event.type);
}
