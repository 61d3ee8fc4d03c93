/**
 * Reports governed files and parts of git directories as soon as they appear, by watching the directories in which they
 * are searched for. Those of a repository that is cloned here wait for the end of the call. Best effort: watches can be
 * used up and events lost, so everything is checked again after the call.
 */
import { watch, type FSWatcher } from "node:fs";
import path from "node:path";
import { isUpper, upperDirectories } from "./find-files.ts";
import { isGovernedName } from "./is-governed.ts";
import { isRiskyInGit } from "./nested-git.ts";
import { statsOf } from "./quarantine.ts";
import { namesIn } from "../read-existing.ts";

/** Each costs a little at the start of a turn. */
const WATCHED_MAX = 1_000;

export interface LiveWatchOptions {
  /** Real path of the workspace. */
  readonly root: string;
  /** Git directories of the workspace itself. */
  readonly gitDirectories: readonly string[];
  readonly onGoverned: (file: string) => void;
  /** A relevant part of a git directory has changed. */
  readonly onGit: () => void;
}

/** Returns a function that ends it. */
export function watchWorkspace(options: LiveWatchOptions): () => void {
  const live = new LiveWatch(options);
  live.start();
  return () => live.close();
}

class LiveWatch {
  readonly #options: LiveWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(options: LiveWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { root, gitDirectories } = this.#options;
    for (const directory of gitDirectories) this.#addGit(directory);
    for (const { directory, governed } of upperDirectories(root)) {
      this.#addUpper(directory);
      for (const file of governed) if (path.basename(file) === ".git") this.#addGit(file);
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #addUpper(directory: string): void {
    this.#add(directory, (name, kind) => this.#seen(path.join(directory, name), kind));
  }

  #addGit(directory: string): void {
    const hooks = path.join(directory, "hooks");
    const addHooks = (): void => this.#add(hooks, () => this.#options.onGit());
    this.#add(directory, (name) => {
      if (name === "hooks") addHooks();
      if (isRiskyInGit(path.join(directory, name))) this.#options.onGit();
    });
    addHooks();
  }

  #add(directory: string, onName: (name: string, kind: string) => void): void {
    if (this.#watchers.has(directory) || this.#watchers.size >= WATCHED_MAX || !isDirectory(directory)) return;
    try {
      const watcher = watch(directory, { persistent: false }, (kind, name) => name !== null && onName(name, kind));
      // Without a listener a removed directory would end the process.
      this.#watchers.set(
        directory,
        watcher.on("error", () => {}),
      );
    } catch {
      // The system has no more watches: what appears here is found after the call.
    }
  }

  /** `kind` is "rename" for everything that is new, gone or another one. */
  #seen(file: string, kind: string): void {
    if (isGovernedName(path.basename(file))) return this.#appeared(file);
    if (kind !== "rename") return;
    this.#forget(file);
    if (!isDirectory(file) || !isUpper(this.#options.root, file)) return;
    // Watched before it is read, so that nothing is missed in between.
    this.#addUpper(file);
    for (const name of namesIn(file)) this.#seen(path.join(file, name), kind);
  }

  #appeared(file: string): void {
    if (path.basename(file) === ".git") {
      this.#addGit(file);
      return this.#options.onGit();
    }
    // A clone would fail in the middle.
    if (this.#isInRepository(file)) return;
    // A new directory governs nothing as long as it is empty.
    this.#add(file, () => this.#options.onGoverned(file));
    this.#options.onGoverned(file);
  }

  /** Whether it belongs to a repository below the workspace. */
  #isInRepository(file: string): boolean {
    const { root } = this.#options;
    for (let at = path.dirname(file); at !== root && at !== path.dirname(at); at = path.dirname(at)) {
      if (statsOf(path.join(at, ".git")) !== undefined) return true;
    }
    return false;
  }

  /** A removed or renamed directory, with all below it. */
  #forget(directory: string): void {
    for (const [watched, watcher] of this.#watchers) {
      if (watched !== directory && !watched.startsWith(`${directory}${path.sep}`)) continue;
      watcher.close();
      this.#watchers.delete(watched);
    }
  }
}

function isDirectory(file: string): boolean {
  return statsOf(file)?.isDirectory() === true;
}
