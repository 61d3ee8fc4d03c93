/**
 * Sessions and agents as assistant lists them. A session of one member is that agent's, any other the whole table's.
 */
import type { Json, SessionSummary } from "../../../src/protocol/index.ts";
import type { Head } from "../../../src/transcript/index.ts";

/** The agent that represents all members together. */
export const ROUNDTABLE_AGENT = "roundtable";

/** Client data about a session that has no equivalent here. */
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
  readonly lastSnippet?: string;
  readonly attributes: Readonly<Record<string, Json>>;
}

export function agentOf(members: readonly string[]): string {
  const [only, ...others] = members;
  return only === undefined || others.length > 0 ? ROUNDTABLE_AGENT : only;
}

/** Models of a session with one member: the current one first, then the others it can be switched to. */
export function modelsOf({ members }: Pick<Head, "members">): { current?: string; available: string[] } {
  const [only, ...others] = Object.values(members).filter((member) => member.seated);
  if (only === undefined || others.length > 0) return { available: [] };
  const current = only.model ?? only.spec.model;
  const offered = (only.models ?? []).map(({ id }) => id);
  return current === undefined ? { available: offered } : { current, available: [...new Set([current, ...offered])] };
}

export function toAssistantSession(
  sessionId: string,
  summary: SessionSummary,
  marks: SessionMarks & { readonly model?: string | undefined; readonly lastSnippet?: string | undefined } = {},
): AssistantSession {
  const { title, cwd, members, createdTs, updatedTs } = summary;
  const { pinnedAt, attributes = {}, hiddenName, model, lastSnippet } = marks;
  return {
    sessionId,
    agentId: agentOf(members),
    createdAt: isoTime(createdTs),
    updatedAt: isoTime(updatedTs),
    ...(title === "" || title === hiddenName ? {} : { name: title }),
    ...(pinnedAt === undefined ? {} : { pinnedAt }),
    ...(model === undefined ? {} : { model }),
    ...(lastSnippet === undefined ? {} : { lastSnippet }),
    attributes: mergePatch({ core: { workingDir: cwd } }, attributes),
  };
}

/** Objects are merged, null removes, anything else replaces. */
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

/** A log without a readable start has no times; 1970 is used. */
export function isoTime(ts: number): string {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
