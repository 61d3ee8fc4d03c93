/**
 * A small JSON file of the data directory in which a wire stores what only its clients know. Without a path it lasts as
 * long as the server. Two ports of one server may have the same file, so changes to a path run one after the other.
 */
import type * as z from "zod";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { loadOwnFile } from "../../kit/files/own-file.ts";
import { RoundtableError } from "../../protocol/index.ts";

export interface JsonStore<T> {
  /** Rejects with "store_unavailable" for a damaged file. */
  readonly read: () => Promise<T>;
  /** `how` changes a copy, which is written when it returns. */
  readonly change: <Result>(how: (value: T) => Result) => Promise<Result>;
}

export interface JsonStoreOptions<T> {
  readonly path: string | undefined;
  readonly schema: z.ZodType<T>;
  readonly initial: T;
}

const changes = new Map<string, Promise<unknown>>();

export function createJsonStore<T>({ path, schema, initial }: JsonStoreOptions<T>): JsonStore<T> {
  const key = path ?? crypto.randomUUID();
  let memory = initial;
  const load = async () => (path === undefined ? memory : await loadFile(path, schema, initial));
  const save = async (value: T) => {
    memory = value;
    if (path !== undefined) await writeFileAtomic(path, `${JSON.stringify(value)}\n`);
  };
  return {
    read: load,
    change(how) {
      const work = (changes.get(key) ?? Promise.resolve()).then(async () => {
        const value = structuredClone(await load());
        const result = how(value);
        await save(value);
        return result;
      });
      const settled = work.catch(() => {
        // Reported to the caller of this change; the next one starts over.
      });
      changes.set(key, settled);
      void settled.then(() => changes.get(key) === settled && changes.delete(key));
      return work;
    },
  };
}

async function loadFile<T>(path: string, schema: z.ZodType<T>, initial: T): Promise<T> {
  const text = await loadOwnFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return initial;
  const parsed = schema.safeParse(tryJson(text.toString("utf8")));
  if (parsed.success) return parsed.data;
  throw new RoundtableError("store_unavailable", `${path} is damaged. Move it away to start with an empty one.`);
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported by the caller: it does not have the right shape.
    return undefined;
  }
}

/** Rejects what one client could fill the disk with. */
export function checkStoredSize(value: unknown, bytesMax: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= bytesMax) return;
  throw new RoundtableError("too_large", `Cannot store ${bytes} bytes; the limit is ${bytesMax}.`);
}
