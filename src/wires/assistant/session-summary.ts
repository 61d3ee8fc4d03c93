/** Sessions and agents as assistant lists them. A session of one member is that agent's, any other the whole table's. */
import type { Json, SessionSummary } from "../../protocol/index.ts";

/** The agent that stands for all members together. */
export const TABLE_AGENT = "roundtable";

/** What a client keeps about a session that we have no word for. */
export interface SessionMarks {
  readonly pinnedAt?: string | undefined;
  readonly attributes?: Readonly<Record<string, Json>> | undefined;
  /** A title that the client has cleared; it is shown again when it changes. */
  readonly hiddenName?: string | undefined;
}

export interface AssistantSession {
  readonly sessionId: string;
  readonly agentId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly name?: string;
  readonly pinnedAt?: string;
  readonly model?: string;
  readonly attributes: Readonly<Record<string, Json>>;
}

export function agentOf(members: readonly string[]): string {
  const [only, ...others] = members;
  return only === undefined || others.length > 0 ? TABLE_AGENT : only;
}

export function toAssistantSession(
  sessionId: string,
  summary: SessionSummary,
  marks: SessionMarks & { readonly model?: string | undefined } = {},
): AssistantSession {
  const { title, cwd, members, createdTs, updatedTs } = summary;
  const { pinnedAt, attributes = {}, hiddenName, model } = marks;
  return {
    sessionId,
    agentId: agentOf(members),
    createdAt: isoTime(createdTs),
    updatedAt: isoTime(updatedTs),
    ...(title === "" || title === hiddenName ? {} : { name: title }),
    ...(pinnedAt === undefined ? {} : { pinnedAt }),
    ...(model === undefined ? {} : { model }),
    attributes: mergePatch({ core: { workingDir: cwd } }, attributes),
  };
}

/** Objects are merged, null removes, anything else takes the place of what was there. */
export function mergePatch(
  base: Readonly<Record<string, Json>>,
  patch: Readonly<Record<string, Json>>,
): Record<string, Json> {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const had = merged.get(key);
    if (value === null) merged.delete(key);
    else merged.set(key, isRecord(had) && isRecord(value) ? mergePatch(had, value) : value);
  }
  return Object.fromEntries(merged);
}

function isRecord(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A log without a readable beginning has no times; the epoch stands for them. */
export function isoTime(ts: number): string {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
