/**
 * Data that assistant's clients store here without an equivalent: pins, attributes, chosen ids,
 * preferences. A small file in the data directory; in memory without one.
 */
import { join } from "node:path";
import * as z from "zod";
import { Json, RoundtableError } from "../../../src/protocol/index.ts";
import { checkStoredSize, createJsonStore } from "../../../src/server/index.ts";

const FILE_NAME = "assistant.json";
/** Limit of sessions; the oldest entries are dropped. */
const SESSIONS_MAX = 10_000;
const RECORD_BYTES_MAX = 64 * 1024;

const Marks = z.object({
  pinnedAt: z.string().optional(),
  attributes: z.record(z.string(), Json).optional(),
  hiddenName: z.string().optional(),
});

const ClientState = z.object({
  sessions: z.record(z.string(), Marks),
  /** Our ids by theirs. */
  ids: z.record(z.string(), z.string()),
  preferences: z.record(z.string(), Json),
});
type ClientStateRecord = z.infer<typeof ClientState>;
export type ClientState = Readonly<ClientStateRecord>;
export type Marks = z.infer<typeof Marks>;

export interface MarkStore {
  read(): Promise<ClientState>;
  changeMarks(sessionId: string, change: (marks: Marks) => Marks): Promise<Marks>;
  /** Rejects with "conflict" for an id of another session. */
  assignId(theirs: string, ours: string): Promise<void>;
  setPreferences(preferences: Record<string, Json>): Promise<void>;
}

const initial: ClientStateRecord = { sessions: {}, ids: {}, preferences: {} };

export function createMarkStore(dataDir: string | undefined): MarkStore {
  const path = dataDir === undefined ? undefined : join(dataDir, FILE_NAME);
  const { read, change } = createJsonStore({ path, schema: ClientState, initial });
  return {
    read,
    changeMarks: (sessionId, how) =>
      change((state) => {
        const marks = how(state.sessions[sessionId] ?? {});
        checkStoredSize(marks, RECORD_BYTES_MAX);
        const others = Object.entries(state.sessions).filter(([id]) => id !== sessionId);
        state.sessions = Object.fromEntries([...others, [sessionId, marks] as const].slice(-SESSIONS_MAX));
        return marks;
      }),
    assignId: (theirs, ours) =>
      change((state) => {
        if (Object.hasOwn(state.ids, theirs)) {
          throw new RoundtableError("conflict", `Session ${theirs} already exists.`);
        }
        state.ids = Object.fromEntries([...Object.entries(state.ids), [theirs, ours] as const].slice(-SESSIONS_MAX));
      }),
    setPreferences: (preferences) =>
      change((state) => {
        checkStoredSize(preferences, RECORD_BYTES_MAX);
        state.preferences = preferences;
      }),
  };
}
