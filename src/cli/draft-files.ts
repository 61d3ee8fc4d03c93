/**
 * `drafts/<session or new>.txt`: what stands in the box of a session, as it is typed. The newest text of a session is
 * on its way to the disk at any time; older ones that were overtaken are never written. A file is the old or the new
 * one, never half of it; an empty box has none.
 */
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../kit/atomic-file.ts";
import { isUlid } from "../kit/ids.ts";

export const DRAFT_BYTES_MAX = 16 * 1024 * 1024;

/** Fits the screen's draft port. */
export interface DraftFiles {
  load(sessionId: string | undefined): Promise<string>;
  save(sessionId: string | undefined, text: string): void;
  flush(): Promise<void>;
}

export function createDraftStore(dataDir: string, { say }: { say?: (text: string) => void } = {}): DraftFiles {
  return new DraftsOnDisk(join(dataDir, "drafts"), say ?? (() => {}));
}

class DraftsOnDisk implements DraftFiles {
  readonly #directory: string;
  readonly #say: (text: string) => void;
  #hasSpoken = false;
  /** Newest texts that are not on disk yet, by file. */
  readonly #waiting = new Map<string, string>();
  #writing: Promise<void> | undefined;

  constructor(directory: string, say: (text: string) => void) {
    this.#directory = directory;
    this.#say = say;
  }

  load(sessionId: string | undefined): Promise<string> {
    const path = this.#pathOf(sessionId);
    return Promise.resolve(path === undefined ? "" : (this.#waiting.get(path) ?? this.#read(path)));
  }

  save(sessionId: string | undefined, text: string): void {
    const path = this.#pathOf(sessionId);
    if (path === undefined) return;
    if (Buffer.byteLength(text) > DRAFT_BYTES_MAX) {
      this.#fail(`The draft is longer than ${DRAFT_BYTES_MAX / 1024 / 1024} MB and is not kept on disk.`);
      return;
    }
    this.#waiting.set(path, text);
    this.#writing ??= this.#writeAll();
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Ids make file names, so nothing else is let in here. */
  #pathOf(sessionId: string | undefined): string | undefined {
    if (sessionId !== undefined && !isUlid(sessionId)) return undefined;
    return join(this.#directory, `${sessionId ?? "new"}.txt`);
  }

  #read(path: string): string {
    try {
      const { size } = statSync(path);
      if (size <= DRAFT_BYTES_MAX) return readFileSync(path, "utf8");
      this.#fail(`The draft ${path} has ${size} bytes and is left where it is.`);
    } catch (error) {
      const code = codeOf(error);
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#fail(`The draft ${path} cannot be read (${code}).`);
    }
    return "";
  }

  /** A text stays in `waiting` until it is on disk, so that a load meanwhile finds it. */
  async #writeAll(): Promise<void> {
    // The caller must have what this returns before it ends.
    await Promise.resolve();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [path, text] = next;
      try {
        await this.#write(path, text);
      } catch (error) {
        this.#fail(`The draft cannot be kept in ${path} (${codeOf(error)}); it is only in this screen.`);
      }
      if (this.#waiting.get(path) === text) this.#waiting.delete(path);
    }
    this.#writing = undefined;
  }

  #next(): [path: string, text: string] | undefined {
    const [first] = this.#waiting;
    return first;
  }

  async #write(path: string, text: string): Promise<void> {
    if (text === "") {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, text);
  }

  #fail(sentence: string): void {
    if (this.#hasSpoken) return;
    this.#hasSpoken = true;
    this.#say(sentence);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
