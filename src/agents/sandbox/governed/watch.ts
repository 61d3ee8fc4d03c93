/**
 * Detects governed files that appear while sandboxed members work. A missing file cannot be closed in the sandbox; one
 * that nobody has allowed is moved to quarantine, where it governs nothing. Files of a member without a sandbox are
 * ignored: it has asked, or nothing could have stopped it.
 */
import { cpSync, lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { checkoutRoot } from "../../process/launch/checkout.ts";
import { findGoverned } from "./find-files.ts";

export interface Moved {
  readonly from: string;
  readonly to: string;
}

export interface SweepResult {
  readonly moved: readonly Moved[];
  /** New files that could not be moved, with the reason. */
  readonly left: readonly { readonly file: string; readonly why: string }[];
}

export class GovernedWatch {
  readonly #cwd: string;
  readonly #allowed = new Set<string>();
  readonly #working = new Set<string>();
  /** With the target of a link: nothing can be mounted on one, so it can be replaced. */
  #known = new Map<string, string | null>();
  #isMixed = false;

  constructor(cwd: string) {
    this.#cwd = realPath(cwd);
  }

  begin(member: string): void {
    if (this.#working.size === 0) {
      this.#known = this.#scan();
      this.#isMixed = false;
    }
    this.#working.add(member);
  }

  /** Path relative to the session's directory that the user has allowed to be written. */
  allow(file: string): void {
    this.#allowed.add(path.resolve(this.#cwd, file));
  }

  /** Called after the member has worked; new files without approval are moved below `quarantine`. Never throws. */
  end(member: string, { isSandboxed, quarantine }: { isSandboxed: boolean; quarantine: string }): SweepResult {
    const none: SweepResult = { moved: [], left: [] };
    if (!this.#working.delete(member)) return none;
    if (!isSandboxed) this.#isMixed = true;
    if (this.#isMixed) return none;
    const result: { moved: Moved[]; left: { file: string; why: string }[] } = { moved: [], left: [] };
    for (const file of this.#list()) {
      if (this.#isKnown(file) || this.#isAllowed(file) || isEmptyDirectory(file)) continue;
      // A repository cloned or created here is work; its hooks and settings count once git is used in it.
      if (path.basename(file) === ".git") {
        result.left.push({ file, why: "it is a git repository" });
        continue;
      }
      const to = path.join(quarantine, `${Date.now()}-${path.relative(this.#cwd, file).replaceAll(path.sep, "+")}`);
      const why = move(file, to);
      if (why === undefined) result.moved.push({ from: file, to });
      else result.left.push({ file, why });
    }
    this.#known = this.#scan();
    return result;
  }

  #scan(): Map<string, string | null> {
    return new Map(this.#list().map((file) => [file, linkTarget(file)]));
  }

  #isKnown(file: string): boolean {
    const target = this.#known.get(file);
    return target === null || (target !== undefined && target === linkTarget(file));
  }

  #isAllowed(file: string): boolean {
    return [...this.#allowed].some((one) => one === file || one.startsWith(`${file}${path.sep}`));
  }

  #list(): string[] {
    return findGoverned(this.#cwd, checkoutRoot(this.#cwd));
  }
}

function linkTarget(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    // Not a link.
    return null;
  }
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    // Removed; nothing appears in it.
    return directory;
  }
}

/** The sandbox creates some of them, to keep them closed. */
function isEmptyDirectory(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  try {
    return stats.isDirectory() && readdirSync(file).length === 0;
  } catch {
    // Not readable, so not known to be empty.
    return false;
  }
}

/** Undefined when it was moved, otherwise why not. Links are moved as links. */
function move(from: string, to: string): string | undefined {
  try {
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    try {
      renameSync(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      rmSync(from, { recursive: true });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
