/** Parses a patch and extracts the lines that match a question. */
import { bits, matchFile } from "../../search/match-file.ts";
import { priorOf } from "../../search/rank.ts";
import type { Term } from "../../search/terms.ts";
import { plural } from "../../../../src/kit/text/format.ts";

export interface PatchFile {
  path: string;
  added: number;
  removed: number;
  hunks: readonly Hunk[];
  change: "added" | "deleted" | "renamed" | "changed";
}

export interface Hunk {
  path: string;
  /** The `@@` line, up to the second `@@`. */
  head: string;
  lines: readonly string[];
}

const HUNK_HEAD = /^(@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@)/;
const EXCERPT_LINES_MAX = 14;
const BEFORE_LINES = 3;

export function parsePatch(output: string): PatchFile[] {
  const files: (PatchFile & { hunks: Hunk[] })[] = [];
  let lines: string[] | undefined;
  let old = 0;
  let fresh = 0;
  for (const row of output.split("\n")) {
    const file = files.at(-1);
    // By the line counts of the hunk header: a removed line "-- a/x" looks like a file header.
    if (lines !== undefined && file !== undefined && (old > 0 || fresh > 0)) {
      lines.push(row.replace(/\r$/, ""));
      if (row.startsWith("+")) file.added++;
      if (row.startsWith("-")) file.removed++;
      if (!row.startsWith("+") && !row.startsWith("\\")) old--;
      if (!row.startsWith("-") && !row.startsWith("\\")) fresh--;
      continue;
    }
    if (row.startsWith("diff --git ")) {
      files.push({ path: pathOfHead(row), added: 0, removed: 0, hunks: [], change: "changed" });
      lines = undefined;
    } else if (file !== undefined) {
      if (row.startsWith("+++ b/")) file.path = row.slice("+++ b/".length).replace(/\t$/, "");
      else if (row.startsWith("new file")) file.change = "added";
      else if (row.startsWith("deleted file")) file.change = "deleted";
      else if (row.startsWith("rename to ")) {
        file.change = "renamed";
        file.path = row.slice("rename to ".length);
      }
      const head = HUNK_HEAD.exec(row);
      if (head === null) continue;
      lines = [];
      old = Number(head[2] ?? 1);
      fresh = Number(head[3] ?? 1);
      file.hunks.push({ path: file.path, head: head[1] ?? "", lines });
    }
  }
  return files;
}

/** `diff --git a/x b/x`: both names are equal except for a rename, which repeats its name below. */
function pathOfHead(row: string): string {
  const rest = row.slice("diff --git ".length);
  return rest.slice((rest.length - 1) / 2 + 1).replace(/^b\//, "");
}

export interface DiffExcerpt {
  path: string;
  lines: readonly string[];
}

const DEFINITION_WORTH = 10;
const PART_WORTH = 4;
const MATCHES_MAX = 5;

/** The hunk that defines a term, else the one with the most terms; without terms, the first one of a source file. */
export function bestExcerpt(files: readonly PatchFile[], terms: readonly Term[]): DiffExcerpt | undefined {
  let best: { hunk: Hunk; worth: number; at: number } | undefined;
  for (const file of files) {
    const prior = priorOf(file.path, { aboutTests: false });
    for (const hunk of file.hunks) {
      const { at, worth } = weigh(hunk, terms);
      if (best === undefined || prior * worth > best.worth) best = { hunk, at, worth: prior * worth };
    }
  }
  if (best === undefined) return undefined;
  const { lines, path, head } = best.hunk;
  return { path, lines: [head, ...cutContext(lines, best.at)] };
}

/** Score of a hunk, and its best line. */
function weigh({ path, lines }: Hunk, terms: readonly Term[]): { worth: number; at: number } {
  const changed = lines.map((line) => (isChanged(line) ? line.slice(1) : ""));
  const hits = terms.length === 0 ? undefined : matchFile(path, changed.join("\n"), terms);
  if (hits === undefined) return { worth: 1, at: lines.findIndex(isChanged) };
  const matches = hits.counts.reduce((sum, count) => sum + Math.min(count, MATCHES_MAX), 0);
  const best = hits.lines[0];
  const isDefinition = best !== undefined && !best.isHeading;
  const named = isDefinition ? DEFINITION_WORTH * bits(best.named) + PART_WORTH * bits(best.namedPart) : 0;
  return { worth: 1 + matches + named, at: (best?.line ?? 1) - 1 };
}

function isChanged(line: string): boolean {
  return line.startsWith("+") || line.startsWith("-");
}

function cutContext(lines: readonly string[], at: number): string[] {
  const first = Math.max(0, Math.min(at - BEFORE_LINES, lines.length - EXCERPT_LINES_MAX));
  const shown = lines.slice(first, first + EXCERPT_LINES_MAX);
  const left = lines.length - first - shown.length;
  return [...(first > 0 ? ["…"] : []), ...shown, ...(left > 0 ? [`… ${plural(left, "more line")}`] : [])];
}
