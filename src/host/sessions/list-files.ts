/**
 * File names for completion, relative to the session's directory, best match first. The walk is bounded and does not
 * follow links, so it never leaves the directory.
 */
import { opendir } from "node:fs/promises";
import path from "node:path";

/** Enough for a large project; a truncated walk has seen the nearest directories. */
const ENTRIES_MAX = 50_000;
const DEPTH_MAX = 24;
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".hg", ".svn"]);

export async function listFiles(cwd: string, query: string, limit: number): Promise<string[]> {
  const wanted = query.toLowerCase().replaceAll("\\", "/");
  const matches: { name: string; rank: number }[] = [];
  let entries = 0;
  let level: string[] = [""];
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of await entriesOf(path.join(cwd, directory), ENTRIES_MAX - entries)) {
        entries += 1;
        const name = directory === "" ? entry.name : `${directory}/${entry.name}`;
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(name);
        if (!entry.isFile()) continue;
        const rank = rankOf(name.toLowerCase(), wanted);
        if (rank !== undefined) matches.push({ name, rank });
      }
    }
    level = next;
  }
  return matches
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** Lower is better; undefined is no match. */
function rankOf(name: string, wanted: string): number | undefined {
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (base.startsWith(wanted)) return 0;
  if (base.includes(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  return isSubsequence(wanted, name) ? 3 : undefined;
}

function isSubsequence(wanted: string, name: string): boolean {
  const letters = Array.from(wanted);
  let at = 0;
  for (const letter of name) if (letter === letters[at]) at += 1;
  return at >= letters.length;
}

async function entriesOf(directory: string, max: number) {
  const entries = [];
  try {
    for await (const entry of await opendir(directory)) {
      if (entries.length >= max) break;
      entries.push(entry);
    }
  } catch {
    // Unreadable, or removed during the walk: the rest of the tree is still listed.
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
