/**
 * Access of a sandbox by path. The most specific entry decides; at the same path the last one set.
 * Guarantees: paths are real (no links) and exist; whatever is closed inside something writable cannot be moved away
 * with one of its parents.
 */
import { realpathSync, statSync } from "node:fs";
import path from "node:path";

/** private: an empty directory of its own, in memory. hidden: empty and not writable. */
export type Access = "write" | "read" | "private" | "hidden";

export interface Mount {
  readonly path: string;
  readonly access: Access;
  readonly isDirectory: boolean;
  /** Mounted on itself only so that it cannot be renamed. */
  readonly isPin?: boolean;
}

export class AccessMap {
  readonly #entries = new Map<string, Access>([["/", "read"]]);

  /** Missing paths are skipped. */
  set(file: string, access: Access): void {
    const real = realPath(file);
    if (real !== undefined) this.#entries.set(real, access);
  }

  /**
   * Closes only paths inside something writable: a link that an agent has planted there must not decide about a path
   * elsewhere.
   */
  close(file: string, access: Exclude<Access, "write"> = "read"): void {
    const real = realPath(file);
    if (real !== undefined && this.accessOf(real) === "write") this.#entries.set(real, access);
  }

  accessOf(file: string): Access {
    for (let at = file; ; at = path.dirname(at)) {
      const access = this.#entries.get(at);
      if (access !== undefined) return access;
      if (at === path.dirname(at)) return "read";
    }
  }

  /** Parents before their children; without redundant entries. */
  mounts(): Mount[] {
    const mounts = new Map<string, Mount>();
    for (const [file, access] of this.#entries) {
      const parentAccess = file === "/" ? undefined : this.accessOf(path.dirname(file));
      const isDirectory = statSync(file, { throwIfNoEntry: false })?.isDirectory();
      if (isDirectory === undefined || access === parentAccess) continue;
      mounts.set(file, { path: file, access, isDirectory });
    }
    for (const { path: file, access } of Array.from(mounts.values())) {
      if (access === "write" || file === "/") continue;
      for (let at = path.dirname(file); this.accessOf(at) === "write" && !mounts.has(at); at = path.dirname(at)) {
        mounts.set(at, { path: at, access: "write", isDirectory: true, isPin: true });
      }
    }
    return [...mounts.values()].toSorted((one, other) => one.path.length - other.path.length);
  }
}

export function realPath(file: string): string | undefined {
  try {
    // Most queried paths do not exist, and an exception costs more than a stat.
    return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(file);
  } catch {
    // Not accessible to us.
    return undefined;
  }
}
