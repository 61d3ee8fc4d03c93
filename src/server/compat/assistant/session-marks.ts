/**
 * What clients of assistant keep with us and we have no word for: pins, attributes, ids of their own choosing, their
 * preferences. A small file of the data directory; without one it lasts as long as the server.
 */
import { join } from "node:path";
import * as z from "zod";
import { Json, RoundtableError } from "../../../protocol/index.ts";
import { checkKeptSize, createKeptFile } from "../kept-file.ts";

const FILE_NAME = "assistant.json";
/** Of more sessions than this the oldest marks are forgotten. */
const SESSIONS_MAX = 10_000;
const RECORD_BYTES_MAX = 64 * 1024;

const Marks = z.object({
  pinnedAt: z.string().optional(),
  attributes: z.record(z.string(), Json).optional(),
  hiddenName: z.string().optional(),
});

const Kept = z.object({
  sessions: z.record(z.string(), Marks),
  /** Our ids by theirs. */
  ids: z.record(z.string(), z.string()),
  preferences: z.record(z.string(), Json),
});
type KeptRecord = z.infer<typeof Kept>;
export type Kept = Readonly<KeptRecord>;
export type Marks = z.infer<typeof Marks>;

export interface MarkStore {
  read(): Promise<Kept>;
  changeMarks(sessionId: string, change: (marks: Marks) => Marks): Promise<Marks>;
  /** Rejects with "conflict" for an id that stands for another session already. */
  assignId(theirs: string, ours: string): Promise<void>;
  setPreferences(preferences: Record<string, Json>): Promise<void>;
}

const initial: KeptRecord = { sessions: {}, ids: {}, preferences: {} };

export function createMarkStore(dataDir: string | undefined): MarkStore {
  const path = dataDir === undefined ? undefined : join(dataDir, FILE_NAME);
  const { read, change } = createKeptFile({ path, schema: Kept, initial });
  return {
    read,
    changeMarks: (sessionId, how) =>
      change((kept) => {
        const marks = how(kept.sessions[sessionId] ?? {});
        checkKeptSize(marks, RECORD_BYTES_MAX);
        const others = Object.entries(kept.sessions).filter(([id]) => id !== sessionId);
        kept.sessions = Object.fromEntries([...others, [sessionId, marks] as const].slice(-SESSIONS_MAX));
        return marks;
      }),
    assignId: (theirs, ours) =>
      change((kept) => {
        if (Object.hasOwn(kept.ids, theirs)) {
          throw new RoundtableError("conflict", `There is a session ${theirs} already.`);
        }
        kept.ids = Object.fromEntries([...Object.entries(kept.ids), [theirs, ours] as const].slice(-SESSIONS_MAX));
      }),
    setPreferences: (preferences) =>
      change((kept) => {
        checkKeptSize(preferences, RECORD_BYTES_MAX);
        kept.preferences = preferences;
      }),
  };
}
