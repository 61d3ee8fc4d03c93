/**
 * Detects governed files and git configuration that appear while sandboxed members work. A missing file cannot be
 * closed in the sandbox; one that nobody has allowed is moved to quarantine, where it governs nothing: as soon as it is
 * seen, after each call, and before another member's program starts. Files of a member without a sandbox are ignored:
 * it has asked, or nothing could have stopped it.
 */
import { createHash } from "node:crypto";
import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { checkoutRoot } from "../../process/launch/checkout.ts";
import { holdsOnlyNeeded } from "../agent-directories.ts";
import { gitDirectoriesOf } from "../git-directories.ts";
import { findGoverned, findRepositories } from "./find-files.ts";
import { watchWorkspace } from "./live-watch.ts";
import { fingerprints, judgeGit, type Judged } from "./nested-git.ts";
import { move, statsOf } from "./quarantine.ts";
import { addWorkspaceCheck } from "./workspace-checks.ts";

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
  /** Only one file, which has appeared, or only git directories; absent: everything. */
  readonly only?: { readonly file: string } | "git" | undefined;
}

/** A member that works; its calls lead to `check`, so that it is the one to report what was found. */
export interface WorkingMember {
  readonly isSandboxed: boolean;
  /** A governed file has appeared. */
  onGoverned(file: string): void;
  /** Something has changed in a git directory. */
  onGit(): void;
  /** Checks everything now. */
  checkAll(): void;
}

const NAME_CHARS_MAX = 60;

/** Of any path, also one that is longer than a name may be. */
function quarantineName(file: string): string {
  const name = file.replaceAll(path.sep, "+");
  if (name.length <= NAME_CHARS_MAX) return `${Date.now()}-${name}`;
  const hash = createHash("sha256").update(file).digest("hex");
  return `${Date.now()}-${hash.slice(0, 12)}-${name.slice(-NAME_CHARS_MAX)}`;
}

export class GovernedWatch {
  readonly #cwd: string;
  readonly #allowed = new Set<string>();
  readonly #working = new Map<string, WorkingMember | undefined>();
  /** With the target of a link: nothing can be mounted on one, so it can be replaced. */
  #known = new Map<string, string | undefined>();
  #knownGit = new Map<string, string>();
  /** Git configuration that the sandbox holds. */
  #held: ReadonlySet<string> | undefined;
  /** New files that could not be moved away. */
  #stuck: ReadonlySet<string> = new Set();
  #isMixed = false;
  #unwatch: () => void = () => {};

  constructor(cwd: string) {
    this.#cwd = realPath(cwd);
  }

  begin(member: string, working?: WorkingMember): void {
    if (this.#working.size === 0) {
      this.#known = this.#scan();
      this.#knownGit = fingerprints(this.#repositories());
      this.#held ??= this.#findHeld();
      this.#isMixed = false;
      this.#stuck = new Set();
      this.#watch();
    }
    this.#working.set(member, working);
  }

  /** A member without a sandbox works, so nobody can tell who makes a file. */
  ignore(member: string): void {
    if (this.#working.has(member)) this.#isMixed = true;
  }

  #watch(): void {
    const first = (): WorkingMember | undefined => this.#working.values().find((one) => one?.isSandboxed === true);
    const { writable } = gitDirectoriesOf(checkoutRoot(this.#cwd) ?? this.#cwd);
    const stop = watchWorkspace({
      root: this.#cwd,
      gitDirectories: writable,
      onGoverned: (file) => first()?.onGoverned(file),
      onGit: () => first()?.onGit(),
    });
    const remove = addWorkspaceCheck({
      root: this.#cwd,
      run: (starting) => {
        // Nobody else has done anything yet.
        if (this.#working.size === 1 && this.#working.has(starting)) return undefined;
        first()?.checkAll();
        const [stuck] = this.#stuck;
        if (stuck === undefined) return undefined;
        return `${path.relative(this.#cwd, stuck)} appeared without approval and could not be moved away.`;
      },
    });
    this.#unwatch = () => {
      stop();
      remove();
    };
  }

  /** Path relative to the session's directory that the user has allowed to be written. */
  allow(file: string): void {
    this.#allowed.add(path.resolve(this.#cwd, file));
  }

  /** Called after the member has worked; otherwise the same as `check`. */
  end(member: string, options: SweepOptions): SweepResult {
    const result = this.check(member, options);
    this.#working.delete(member);
    if (this.#working.size === 0) this.#unwatch();
    return result;
  }

  /** What is new and has no approval is moved below `quarantine`. Never throws. */
  check(member: string, { isSandboxed, quarantine, only }: SweepOptions): SweepResult {
    if (this.#working.has(member) && !isSandboxed) this.#isMixed = true;
    if (!this.#working.has(member) || this.#isMixed) return { moved: [], reduced: [], left: [] };
    const target = (file: string): string => path.join(quarantine, quarantineName(path.relative(this.#cwd, file)));
    if (only !== undefined && only !== "git") return { ...this.#moveNew([only.file], target), reduced: [] };
    const { moved, left } = this.#moveNew(only === undefined ? this.#list() : [], target);
    const isHeld = (file: string): boolean => this.#held?.has(file) === true || this.#isAllowed(file);
    const judged = judgeGit(this.#repositories(), this.#knownGit, { root: this.#cwd, isHeld, target });
    if (only === undefined) this.#known = this.#scan();
    this.#knownGit = fingerprints(this.#repositories());
    return { moved: [...moved, ...judged.moved], reduced: judged.reduced, left: [...left, ...judged.left] };
  }

  #moveNew(files: readonly string[], target: (file: string) => string): Pick<SweepResult, "moved" | "left"> {
    const moved: Moved[] = [];
    const left: { file: string; why: string }[] = [];
    for (const file of files) {
      // A repository cloned or created here is work; what it could run is judged on its own.
      const isRepository = path.basename(file) === ".git";
      if (isRepository || this.#isKnown(file) || this.#isAllowed(file) || isEmptyDirectory(file)) continue;
      const result = move(file, target(file));
      if ("to" in result) moved.push({ from: file, to: result.to });
      else left.push({ file, why: result.why });
    }
    const reported = this.#stuck;
    this.#stuck = new Set([...left.map(({ file }) => file), ...reported].filter(isThere));
    return { moved, left: left.filter(({ file }) => !reported.has(file)) };
  }

  #repositories(): string[] {
    return findRepositories(this.#cwd, checkoutRoot(this.#cwd));
  }

  #findHeld(): Set<string> {
    const nested = this.#list().filter((file) => path.basename(file) === ".git");
    const roots = [checkoutRoot(this.#cwd) ?? this.#cwd, ...nested.map((file) => path.dirname(file))];
    const held = roots.flatMap((root) => gitDirectoriesOf(root).closed);
    return new Set(held.filter(isThere));
  }

  #scan(): Map<string, string | undefined> {
    return new Map(this.#list().map((file) => [file, linkTarget(file)]));
  }

  #isKnown(file: string): boolean {
    if (this.#stuck.has(file)) return false;
    if (!this.#known.has(file)) return false;
    const target = this.#known.get(file);
    return target === undefined || target === linkTarget(file);
  }

  #isAllowed(file: string): boolean {
    return [...this.#allowed].some((one) => one === file || one.startsWith(`${file}${path.sep}`));
  }

  #list(): string[] {
    return findGoverned(this.#cwd, checkoutRoot(this.#cwd));
  }
}

function isThere(file: string): boolean {
  return statsOf(file) !== undefined;
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // Not a link.
    return undefined;
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

/** The sandbox creates some of them, to keep them closed, with a file that an agent cannot do without. */
function isEmptyDirectory(file: string): boolean {
  const stats = statsOf(file);
  if (stats === undefined) return true;
  try {
    return stats.isDirectory() && holdsOnlyNeeded(file, readdirSync(file));
  } catch {
    // Not readable, so not known to be empty.
    return false;
  }
}
