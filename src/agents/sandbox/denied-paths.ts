/**
 * Existing paths that deny rules name, which the sandbox closes for programs that ask nobody. Bounded: of a pattern
 * that matches very many files the first ones are closed; the others are still denied when asked about.
 */
import { existsSync, readdirSync, type Dirent } from "node:fs";
import path from "node:path";
import { EDITORS } from "../../protocol/index.ts";
import { withHome } from "../approvals/real-path.ts";
import type { Rule } from "../approvals/rule.ts";
import { matchesGlob } from "../tools/glob-match.ts";

const PATHS_MAX = 256;
const ENTRIES_MAX = 20_000;
const DEPTH_MAX = 32;
/** Large, and not what a rule with `**` is about. */
const PASSED_OVER = new Set([".git", "node_modules"]);

export function deniedPathsIn(rules: readonly Rule[], cwd: string): string[] {
  const search = new Search();
  for (const { verdict, tool, match } of rules) {
    if (verdict === "deny" && match !== undefined && isAboutChanges(tool)) search.run(match, cwd);
  }
  return [...search.paths];
}

/** Existing paths that a pattern names. */
export function expandPattern(match: string, cwd: string): string[] {
  const search = new Search();
  search.run(match, cwd);
  return [...search.paths];
}

function isAboutChanges(tool: string): boolean {
  const pattern = [tool.toLowerCase()];
  return ["edit", "write", ...EDITORS].some((name) => matchesGlob(pattern, [name.toLowerCase()]));
}

/** Matches like rules: case-insensitive, `**` for any number of directories. */
class Search {
  readonly paths = new Set<string>();
  #entriesLeft = ENTRIES_MAX;

  /** By names in any case, and by the path that leads to the first wildcard, with its links and dots. */
  run(match: string, cwd: string): void {
    const written = withHome(match);
    const folded = (segments: readonly string[]) => segments.map((one) => one.toLowerCase());
    const segments = path.posix.normalize(written).split("/").filter(Boolean);
    this.#expand(path.isAbsolute(written) ? path.parse(written).root : cwd, folded(segments));
    const wild = segments.findIndex((one) => /[*?[\\]/.test(one));
    const head = path.resolve(
      cwd,
      written.startsWith("/") ? "/" : ".",
      ...segments.slice(0, wild === -1 ? undefined : wild),
    );
    const rest = folded(wild === -1 ? [] : segments.slice(wild));
    if (wild === 0 || !existsSync(head)) return;
    // Closing a directory closes its contents.
    if (rest.every((one) => one === "**")) this.#add(head);
    else this.#expand(head, rest);
  }

  #expand(directory: string, [segment, ...rest]: readonly string[], depth = 0): void {
    if (segment === undefined || depth > DEPTH_MAX) return;
    if (segment === "**") return this.#expandAnyDepth(directory, rest, depth);
    for (const entry of this.#entries(directory)) {
      if (!matchesGlob([segment], [entry.name.toLowerCase()])) continue;
      const name = path.join(directory, entry.name);
      // Closing a directory closes its contents.
      if (rest.every((one) => one === "**")) this.#add(name);
      else if (entry.isDirectory()) this.#expand(name, rest, depth + 1);
    }
  }

  #expandAnyDepth(directory: string, rest: readonly string[], depth: number): void {
    if (rest.every((one) => one === "**")) return this.#expand(directory, ["*"], depth);
    this.#expand(directory, rest, depth);
    for (const entry of this.#entries(directory)) {
      if (!entry.isDirectory() || PASSED_OVER.has(entry.name)) continue;
      this.#expand(path.join(directory, entry.name), ["**", ...rest], depth + 1);
    }
  }

  #add(name: string): void {
    if (this.paths.size < PATHS_MAX) this.paths.add(name);
  }

  #entries(directory: string): Dirent[] {
    if (this.#entriesLeft <= 0 || this.paths.size >= PATHS_MAX) return [];
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      this.#entriesLeft -= entries.length + 1;
      return entries;
    } catch {
      // Missing or not readable: nothing to close.
      return [];
    }
  }
}
