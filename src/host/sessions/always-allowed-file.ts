/**
 * The user's permanent approvals: one entry per exact command, file or call and the directory it applies to. Changes by
 * other processes are picked up on the next access.
 * Guarantees: only the user can read and write the file; writes are atomic; a file that is damaged, or that others
 * could have written to, is reported once and allows nothing.
 */
import { mkdir, rename } from "node:fs/promises";
import { statSync, type Stats } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { coverKey, type AlwaysAllowed, type Cover } from "../../agents/index.ts";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { newId } from "../../kit/ids.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { argumentProblem } from "../../protocol/index.ts";

const FILE_BYTES_MAX = 1024 * 1024;
const ENTRIES_MAX = 2_000;
const WRITABLE_BY_OTHERS = 0o022;

const Entry = z.object({
  tool: z.string(),
  kind: z.enum(["command", "path", "call"]),
  text: z.string(),
  cwd: z.string(),
});
const AlwaysJson = z.object({ version: z.literal(1), allowed: z.array(Entry).max(ENTRIES_MAX) });
type Entries = readonly z.infer<typeof Entry>[];

export interface AlwaysAllowedFileOptions {
  readonly file: string;
  readonly warn: (sentence: string) => void;
}

interface LoadedFile {
  readonly mark: string;
  readonly entries: Entries;
  readonly keys: ReadonlySet<string>;
  readonly isDamaged: boolean;
}

const NOTHING: LoadedFile = { mark: "", entries: [], keys: new Set(), isDamaged: false };

export function createAlwaysAllowedFile({ file, warn }: AlwaysAllowedFileOptions): AlwaysAllowed {
  let loaded = NOTHING;
  let writing: Promise<void> = Promise.resolve();

  function refresh(): LoadedFile {
    const stats = statSync(file, { throwIfNoEntry: false });
    const mark = stats === undefined ? "" : `${stats.ino} ${stats.mtimeMs} ${stats.size} ${stats.mode}`;
    if (mark !== loaded.mark) loaded = stats === undefined ? NOTHING : read(file, stats, mark, warn);
    return loaded;
  }

  async function add(covers: readonly Cover[], cwd: string): Promise<void> {
    const { entries, keys, isDamaged } = refresh();
    const news = covers.map(({ tool, kind, text }) => ({ tool, kind, text, cwd }));
    const allowed = [...entries, ...news.filter((entry) => !keys.has(keyOf(entry)))];
    if (allowed.length > ENTRIES_MAX) {
      throw new Error(`${file} is full (${entries.length} approvals); remove entries that are no longer needed`);
    }
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    if (isDamaged) await rename(file, `${file}.${newId()}.damaged`);
    await write(allowed);
  }

  async function remove(cover: Cover, cwd: string): Promise<void> {
    const { entries } = refresh();
    const key = keyOf({ ...cover, cwd });
    const allowed = entries.filter((entry) => keyOf(entry) !== key);
    if (allowed.length < entries.length) await write(allowed);
  }

  async function write(allowed: Entries): Promise<void> {
    await writeFileAtomic(file, `${JSON.stringify({ version: 1, allowed }, null, 2)}\n`, { mode: 0o600 });
  }

  function serialize(work: () => Promise<void>): Promise<void> {
    const done = writing.then(work);
    // The caller gets the error; the next write must not fail because of it.
    writing = done.catch(() => undefined);
    return done;
  }

  return {
    file,
    has: (cover, cwd) => refresh().keys.has(keyOf({ ...cover, cwd })),
    list: (cwd) =>
      refresh()
        .entries.filter((entry) => entry.cwd === cwd)
        .map(({ tool, kind, text }) => ({ tool, kind, text })),
    add: (covers, cwd) => serialize(() => add(covers, cwd)),
    remove: (cover, cwd) => serialize(() => remove(cover, cwd)),
  };
}

function keyOf({ cwd, ...cover }: Entries[number]): string {
  return `${cwd}\0${coverKey(cover)}`;
}

function allowedIn(content: unknown): Entries {
  const { data, error } = AlwaysJson.safeParse(content);
  if (data === undefined) throw new Error(argumentProblem(error, content, "the file"));
  return data.allowed;
}

function read(file: string, stats: Stats, mark: string, warn: (sentence: string) => void): LoadedFile {
  try {
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size > FILE_BYTES_MAX) throw new Error(`it has ${stats.size} bytes; the limit is ${FILE_BYTES_MAX}`);
    const isOwnedByOther = process.getuid !== undefined && stats.uid !== process.getuid();
    const isOpen = process.platform !== "win32" && (stats.mode & WRITABLE_BY_OTHERS) !== 0;
    if (isOwnedByOther || isOpen) throw new Error("other users can write to it");
    const allowed = allowedIn(JSON.parse(readOwnFile(file)));
    return { mark, entries: allowed, keys: new Set(allowed.map(keyOf)), isDamaged: false };
  } catch (error) {
    warn(`permanent approvals in ${file} are ignored: ${error instanceof Error ? error.message : String(error)}`);
    return { ...NOTHING, mark, isDamaged: true };
  }
}
