/**
 * What clients of assistant keep with us and we have no word for: pins, attributes, ids of their own choosing, their
 * preferences. A small file of the data directory; without one it lasts as long as the server.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../../kit/atomic-file.ts";
import { Json, RoundtableError } from "../../../protocol/index.ts";

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
  giveId(theirs: string, ours: string): Promise<void>;
  setPreferences(preferences: Record<string, Json>): Promise<void>;
}

interface Shelf {
  load(): Promise<Kept>;
  save(kept: Kept): Promise<void>;
}

/** Two ports of one server keep the same file: changes to it wait for each other. */
const turns = new Map<string, Promise<unknown>>();

export function createMarkStore(dataDir: string | undefined): MarkStore {
  const shelf = dataDir === undefined ? createMemoryShelf() : createFileShelf(join(dataDir, FILE_NAME));
  const key = dataDir ?? crypto.randomUUID();

  async function change<T>(how: (kept: KeptRecord) => T): Promise<T> {
    const work = (turns.get(key) ?? Promise.resolve()).then(async () => {
      const kept = structuredClone(await shelf.load());
      const result = how(kept);
      await shelf.save(kept);
      return result;
    });
    const settled = work.catch(() => {
      // Told to whoever asked for this change; the next one begins anew.
    });
    turns.set(key, settled);
    void settled.then(() => turns.get(key) === settled && turns.delete(key));
    return work;
  }

  return {
    read: () => shelf.load(),
    changeMarks: (sessionId, how) =>
      change((kept) => {
        const marks = how(kept.sessions[sessionId] ?? {});
        checkSize(marks);
        const others = Object.entries(kept.sessions).filter(([id]) => id !== sessionId);
        kept.sessions = Object.fromEntries([...others, [sessionId, marks] as const].slice(-SESSIONS_MAX));
        return marks;
      }),
    giveId: (theirs, ours) =>
      change((kept) => {
        if (Object.hasOwn(kept.ids, theirs)) {
          throw new RoundtableError("conflict", `There is a session ${theirs} already.`);
        }
        kept.ids = Object.fromEntries([...Object.entries(kept.ids), [theirs, ours] as const].slice(-SESSIONS_MAX));
      }),
    setPreferences: (preferences) =>
      change((kept) => {
        checkSize(preferences);
        kept.preferences = preferences;
      }),
  };
}

function checkSize(value: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= RECORD_BYTES_MAX) return;
  throw new RoundtableError("too_large", `That would be ${bytes} bytes; ${RECORD_BYTES_MAX} can be kept.`);
}

const nothing: Kept = { sessions: {}, ids: {}, preferences: {} };

function createMemoryShelf(): Shelf {
  let kept = nothing;
  return {
    load: async () => kept,
    save: async (next) => void (kept = next),
  };
}

function createFileShelf(path: string): Shelf {
  return {
    async load() {
      const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      if (text === undefined) return nothing;
      const parsed = Kept.safeParse(tryJson(text));
      if (parsed.success) return parsed.data;
      throw new RoundtableError("store_unavailable", `${path} is damaged; move it away to begin anew.`);
    },
    save: (kept) => writeFileAtomic(path, `${JSON.stringify(kept)}\n`),
  };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Said by the caller: it does not have the right shape.
    return undefined;
  }
}
