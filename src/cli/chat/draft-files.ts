/**
 * `drafts/<session or new>.txt`: the composer text of a session, saved as it is typed. Only the newest text is written;
 * superseded ones are skipped. Writes are atomic, and an empty composer has no file. `<session or new>.pastes.json`
 * marks the pasted ranges; when it is missing or belongs to another text, the draft is loaded as plain text.
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { isUlid } from "../../kit/ids.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";

export const DRAFT_BYTES_MAX = 16 * 1024 * 1024;
const PASTES_BYTES_MAX = 1024 * 1024;

const pastesFile = z.object({ chars: z.int(), pastes: z.array(z.tuple([z.int(), z.int()])) });

interface Draft {
  readonly text: string;
  readonly pastes: readonly (readonly [start: number, end: number])[];
}

/** Implements the screen's draft port. */
export interface DraftFiles {
  load(sessionId: string | undefined): Promise<Draft>;
  save(sessionId: string | undefined, text: string, pastes?: Draft["pastes"]): void;
  flush(): Promise<void>;
}

export function createDraftStore(dataDir: string, { warn }: { warn?: (text: string) => void } = {}): DraftFiles {
  return new DraftsOnDisk(join(dataDir, "drafts"), warn ?? (() => {}));
}

class DraftsOnDisk implements DraftFiles {
  readonly #directory: string;
  readonly #warn: (text: string) => void;
  #hasWarned = false;
  /** Newest drafts not on disk yet, by file. */
  readonly #waiting = new Map<string, Draft>();
  #writing: Promise<void> | undefined;

  constructor(directory: string, warn: (text: string) => void) {
    this.#directory = directory;
    this.#warn = warn;
  }

  load(sessionId: string | undefined): Promise<Draft> {
    const path = this.#pathOf(sessionId);
    if (path === undefined) return Promise.resolve({ text: "", pastes: [] });
    const waiting = this.#waiting.get(path);
    if (waiting !== undefined) return Promise.resolve(waiting);
    const text = this.#read(path);
    return Promise.resolve({ text, pastes: text === "" ? [] : readPastes(path, text.length) });
  }

  save(sessionId: string | undefined, text: string, pastes: Draft["pastes"] = []): void {
    const path = this.#pathOf(sessionId);
    if (path === undefined) return;
    if (Buffer.byteLength(text) > DRAFT_BYTES_MAX) {
      this.#fail(`The draft exceeds ${DRAFT_BYTES_MAX / 1024 / 1024} MB and is not saved to disk.`);
      return;
    }
    this.#waiting.set(path, { text, pastes });
    this.#writing ??= this.#writeAll();
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Ids become file names, so anything else is rejected. */
  #pathOf(sessionId: string | undefined): string | undefined {
    if (sessionId !== undefined && !isUlid(sessionId)) return undefined;
    return join(this.#directory, `${sessionId ?? "new"}.txt`);
  }

  #read(path: string): string {
    try {
      const { size } = statSync(path);
      if (size <= DRAFT_BYTES_MAX) return readOwnFile(path);
      this.#fail(`The draft ${path} is too large (${size} bytes) and was not loaded.`);
    } catch (error) {
      const code = codeOf(error);
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#fail(`The draft ${path} cannot be read (${code}).`);
    }
    return "";
  }

  /** A text stays in `waiting` until it is on disk, so that a concurrent load finds it. */
  async #writeAll(): Promise<void> {
    // The caller must have stored this promise before it settles.
    await Promise.resolve();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [path, draft] = next;
      try {
        await this.#write(path, draft);
      } catch (error) {
        this.#fail(`Cannot save the draft to ${path} (${codeOf(error)}); it is lost when you quit.`);
      }
      if (this.#waiting.get(path) === draft) this.#waiting.delete(path);
    }
    this.#writing = undefined;
  }

  #next(): [path: string, draft: Draft] | undefined {
    const [first] = this.#waiting;
    return first;
  }

  async #write(path: string, { text, pastes }: Draft): Promise<void> {
    if (text === "") {
      for (const file of [path, pastesPath(path)]) rmSync(file, { force: true });
      return;
    }
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, text);
    if (pastes.length === 0) rmSync(pastesPath(path), { force: true });
    else await writeFileAtomic(pastesPath(path), JSON.stringify({ chars: text.length, pastes }));
  }

  #fail(sentence: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#warn(sentence);
  }
}

function pastesPath(path: string): string {
  return path.replace(/\.txt$/, ".pastes.json");
}

/** Empty unless they belong to a text of this length; errors are ignored, since pastes only affect display. */
function readPastes(path: string, length: number): Draft["pastes"] {
  const file = pastesPath(path);
  try {
    if (statSync(file).size > PASTES_BYTES_MAX) return [];
    const { chars, pastes } = pastesFile.parse(JSON.parse(readOwnFile(file)));
    const edges = [0, ...pastes.flat(), length];
    const isInOrder = edges.every((edge, at) => at === 0 || (edges[at - 1] ?? 0) <= edge);
    return chars === length && isInOrder ? pastes : [];
  } catch {
    return [];
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
