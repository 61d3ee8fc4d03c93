/** Response lines of commands, and the lines that frame a conversation. */
import type { SessionSummary } from "../../../src/protocol/index.ts";
import { membersInOrder, type Head } from "../../../src/transcript/index.ts";
import type { Line } from "./wire-event.ts";

/** Incremented on changes that clients must know about. */
const WIRE_PROTOCOL_VERSION = 1;

export interface Model {
  readonly provider: string;
  readonly id: string;
}

/** Provider name of the session as a whole. */
const ROUNDTABLE_PROVIDER = "roundtable";
const NAME_MARK = "+";

/** The session as a model: its members' names. */
export function roundtableModel(names: readonly string[]): Model {
  return { provider: ROUNDTABLE_PROVIDER, id: names.join(NAME_MARK) };
}

export interface Ready {
  readonly cwd: string;
  readonly model: Model;
  readonly isDebugging: boolean;
  readonly hasUi: boolean;
  readonly sessionId: string | null;
}

export function readyLine({ cwd, model, isDebugging, hasUi, sessionId }: Ready): Line {
  return {
    type: "ready",
    cwd,
    model,
    debug: isDebugging,
    ui: hasUi,
    primary_session_id: sessionId,
    active_session_id: sessionId,
    protocol_version: WIRE_PROTOCOL_VERSION,
  };
}

/** Totals at the last clear. */
export interface Counted {
  readonly users: number;
  readonly turns: number;
}

export interface StatsFacts {
  readonly isStreaming: boolean;
  readonly messages: number;
  readonly turns: number;
}

export function statsLine(head: Head, { isStreaming, messages, turns }: StatsFacts): Line {
  const stats = {
    session_id: head.sessionId,
    message_count: messages,
    turn_count: turns,
    is_streaming: isStreaming,
    cwd: head.cwd,
    model: modelOf(head),
    thinking_level: null,
  };
  return { type: "stats", session_id: head.sessionId, stats };
}

export function modelOf(head: Head): Model {
  return roundtableModel(membersInOrder(head).map((member) => member.name));
}

export function startedLine(head: Head): Line {
  return { type: "session_started", session_id: head.sessionId, cwd: head.cwd, model: modelOf(head) };
}

export function sessionsListLine(sessions: readonly SessionSummary[], pathOf: (sessionId: string) => string): Line {
  const listed = sessions
    .toSorted((a, b) => b.updatedTs - a.updatedTs)
    .map(({ sessionId: id, updatedTs: timestamp, cwd, members }) => {
      return { path: pathOf(id), id, timestamp, cwd, model: roundtableModel(members) };
    });
  return { type: "sessions_list", sessions: listed };
}

export function errorLine(message: string, sessionId?: string): Line {
  return { type: "error", message, ...(sessionId === undefined ? {} : { session_id: sessionId }) };
}

interface ListedMember {
  readonly name: string;
  readonly kind: string;
  readonly model?: string | undefined;
}

/** Selectable models: all members together, each member alone, and each by kind and model. */
export function providersOf({ members, known }: { members: readonly ListedMember[]; known: readonly ListedMember[] }) {
  const whole = roundtableModel(members.map((one) => one.name));
  const alone = known
    .filter((one) => one.name !== whole.id)
    .map((one) => ({ id: one.name, name: `${one.name} alone (${one.kind})` }));
  const roundtable = { id: ROUNDTABLE_PROVIDER, models: [{ id: whole.id, name: "all members" }, ...alone] };
  const kinds = [...new Set(known.map((one) => one.kind))].map((kind) => ({
    id: kind,
    models: known.filter((one) => one.kind === kind).map((one) => ({ id: one.model ?? one.name, name: one.name })),
  }));
  return [roundtable, ...kinds];
}
