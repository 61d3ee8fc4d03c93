/**
 * Ids for the local names of an external session: the same source gives the same ids in every import, and no two
 * sessions share any. `version` counts how often a turn was imported again because its file had grown.
 */
import { hash } from "node:crypto";
import type { EventDraft } from "../../../protocol/index.ts";
import type { ImportUnit, TimedDraft } from "./external-session.ts";

const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARS = 10;
const HASH_CHARS = 16;
/** Limit of the first character, so that the id can be decoded as a time. */
const FIRST_SIGNS = 8;

/** Ids of turns and their parts; messages keep their id when their turn is imported again. */
const TURN_IDS = ["turnId", "parentTurnId", "subagentTurnId", "segmentId", "toolCallId"] as const;

export interface Naming {
  /** Source and native id of the session. */
  readonly session: string;
  readonly version: number;
  /** Index among turns with the same local name, from 1. */
  readonly part?: number;
}

function stableId(...parts: readonly (string | number)[]): string {
  const digest = hash("sha256", parts.join("\n"), "buffer");
  let id = BASE32.charAt((digest[0] ?? 0) % FIRST_SIGNS);
  for (let at = 1; at < TIME_CHARS + HASH_CHARS; at += 1) id += BASE32.charAt((digest[at] ?? 0) % BASE32.length);
  return id;
}

/** A session's id, which sorts by the start of the conversation. */
export function stableSessionId(startedMs: number, ...parts: readonly string[]): string {
  let ms = Math.max(0, Math.floor(startedMs));
  let time = "";
  for (let digit = 0; digit < TIME_CHARS; digit += 1) {
    time = `${BASE32[ms % 32] ?? ""}${time}`;
    ms = Math.floor(ms / 32);
  }
  return time + stableId("session", ...parts).slice(-HASH_CHARS);
}

export function messageIdOf(session: string, local: string): string {
  return stableId(session, local);
}

export function turnIdOf({ session, version, part = 1 }: Naming, local: string): string {
  return part === 1 ? stableId(session, local, version) : stableId(session, local, version, part);
}

export function withIds(unit: ImportUnit, naming: Naming): readonly TimedDraft[] {
  return unit.drafts.map((one) => ({ ...one, draft: named(one.draft, naming) }));
}

function named(draft: EventDraft, naming: Naming): EventDraft {
  const { session } = naming;
  const renamed: Record<string, unknown> = { ...draft };
  for (const key of TURN_IDS) {
    const local = renamed[key];
    if (typeof local === "string") renamed[key] = turnIdOf(naming, local);
  }
  for (const key of ["messageId", "rootMessageId"]) {
    const local = renamed[key];
    if (typeof local === "string") renamed[key] = messageIdOf(session, local);
  }
  const { messageIds } = renamed;
  if (Array.isArray(messageIds)) renamed["messageIds"] = messageIds.map((local) => messageIdOf(session, String(local)));
  return renamed as EventDraft;
}
