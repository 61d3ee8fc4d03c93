/**
 * Detects governed files and git configuration that appear while sandboxed members work. A missing file cannot be
 * closed in the sandbox; one that nobody has allowed is moved to quarantine, where it governs nothing. Files of a member
 * without a sandbox are ignored: it has asked, or nothing could have stopped it.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { checkoutRoot } from "../../process/launch/checkout.ts";
import { gitDirectoriesOf } from "../git-directories.ts";
import { findGoverned, findRepositories } from "./find-files.ts";
import { fingerprints, judgeGit, type Judged } from "./nested-git.ts";
import { move } from "./quarantine.ts";

export interface Moved {
  readonly from: string;
  readonly to: string;
}

export interface SweepResult {
  readonly moved: readonly Moved[];
  /** Git configuration of which only the harmless part was kept. */
  readonly reduced: Judged["reduced"];
  /** New files that could not be moved, with the reason. */
  readonly left: readonly { readonly file: string; readonly why: string }[];
}

export interface SweepOptions {
  readonly isSandboxed: boolean;
  /** Quarantine directory. */
  readonly quarantine: string;
}

export class GovernedWatch {
  readonly #cwd: string;
  readonly #allowed = new Set<string>();
  readonly #working = new Set<string>();
  /** With the target of a link: nothing can be mounted on one, so it can be replaced. */
  #known = new Map<string, string | null>();
  #knownGit = new Map<string, string>();
  /** Git configuration that the sandbox holds. */
  #held: ReadonlySet<string> | undefined;
  #isMixed = false;

  constructor(cwd: string) {
    this.#cwd = realPath(cwd);
  }

  begin(member: string): void {
    if (this.#working.size === 0) {
      this.#remember();
      this.#held ??= this.#findHeld();
      this.#isMixed = false;
    }
    this.#working.add(member);
  }

  /** Path relative to the session's directory that the user has allowed to be written. */
  allow(file: string): void {
    this.#allowed.add(path.resolve(this.#cwd, file));
  }

  /** Called after the member has worked; otherwise the same as `check`. */
  end(member: string, options: SweepOptions): SweepResult {
    const result = this.check(member, options);
    this.#working.delete(member);
    return result;
  }

  /** What is new and has no approval is moved below `quarantine`. Never throws. */
  check(member: string, { isSandboxed, quarantine }: SweepOptions): SweepResult {
    const result = {
      moved: [] as Moved[],
      reduced: [] as Judged["reduced"],
      left: [] as { file: string; why: string }[],
    };
    if (!this.#working.has(member)) return result;
    if (!isSandboxed) this.#isMixed = true;
    if (this.#isMixed) return result;
    const target = (file: string): string =>
      path.join(quarantine, `${Date.now()}-${path.relative(this.#cwd, file).replaceAll(path.sep, "+")}`);
    for (const file of this.#list()) {
      // A repository cloned or created here is work; what it could run is judged below.
      const isRepository = path.basename(file) === ".git";
      if (isRepository || this.#isKnown(file) || this.#isAllowed(file) || isEmptyDirectory(file)) continue;
      const to = target(file);
      const why = move(file, to);
      if (why === undefined) result.moved.push({ from: file, to });
      else result.left.push({ file, why });
    }
    const isHeld = (file: string): boolean => this.#held?.has(file) === true || this.#isAllowed(file);
    const judged = judgeGit(this.#repositories(), this.#knownGit, { root: this.#cwd, isHeld, target });
    this.#remember();
    return {
      moved: [...result.moved, ...judged.moved],
      reduced: judged.reduced,
      left: [...result.left, ...judged.left],
    };
  }

  #remember(): void {
    this.#known = this.#scan();
    this.#knownGit = fingerprints(this.#repositories());
  }

  #repositories(): string[] {
    return findRepositories(this.#cwd, checkoutRoot(this.#cwd));
  }

  #findHeld(): Set<string> {
    const nested = this.#list().filter((file) => path.basename(file) === ".git");
    const roots = [checkoutRoot(this.#cwd) ?? this.#cwd, ...nested.map((file) => path.dirname(file))];
    const held = roots.flatMap((root) => gitDirectoriesOf(root).closed);
    return new Set(held.filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined));
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
