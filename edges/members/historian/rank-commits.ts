/** Ranks commits: those that match the question by message, change and lines come first. */
import { matchFile } from "../search/match-file.ts";
import type { Term } from "../search/terms.ts";
import type { Commit } from "./git/log-records.ts";

export interface RankedCommit {
  commit: Commit;
  score: number;
  /** Its message contains a whole word of the question. */
  isInMessage: boolean;
  /** It changes the number of occurrences of a term. */
  isInChange: boolean;
  /** It wrote a line that is shown. */
  isInLines: boolean;
}

export interface Sources {
  byMessage: readonly Commit[];
  byChange: readonly { term: Term; commits: readonly Commit[] }[];
  byLines: readonly Commit[];
}

const KIND_WEIGHT = { phrase: 1.6, identifier: 1.5, word: 1, part: 0.2 };
const SUBJECT_WEIGHT = 2;
const CHANGE_WEIGHT = 2;
const LINES_WEIGHT = 1.5;
/** A merge repeats what it merges. */
const MERGE_SHARE = 0.5;

export function rankCommits(sources: Sources, terms: readonly Term[]): RankedCommit[] {
  const { byMessage, byChange, byLines } = sources;
  const all = new Map<string, Commit>();
  for (const commit of [...byMessage, ...byChange.flatMap((one) => one.commits), ...byLines])
    all.set(commit.hash, commit);
  const commits = [...all.values()];
  const messages = commits.map((commit) => countsIn(`${commit.subject}\n${commit.body}`, terms));
  const weights = terms.map((term, index) => {
    const inCommits = messages.filter((counts) => (counts[index] ?? 0) > 0).length;
    return KIND_WEIGHT[term.kind] * Math.log(1 + (commits.length + 1) / (inCommits + 0.5));
  });
  const changes = new Map<string, number>();
  for (const { term, commits: changing } of byChange) {
    for (const { hash } of changing)
      changes.set(hash, (changes.get(hash) ?? 0) + CHANGE_WEIGHT * KIND_WEIGHT[term.kind]);
  }
  const lines = new Set(byLines.map((commit) => commit.hash));
  const ranked = commits.map((commit, at): RankedCommit => {
    const subject = countsIn(commit.subject, terms);
    const worth = (counts: readonly number[]) =>
      counts.reduce((sum, count, index) => sum + (count > 0 ? (weights[index] ?? 0) : 0), 0);
    const messageScore = worth(messages[at] ?? []) + (SUBJECT_WEIGHT - 1) * worth(subject);
    const isInLines = lines.has(commit.hash);
    const score =
      (messageScore + (changes.get(commit.hash) ?? 0) + (isInLines ? LINES_WEIGHT : 0)) *
      (commit.parents > 1 ? MERGE_SHARE : 1);
    return {
      commit,
      score,
      isInMessage: (messages[at] ?? []).some((count, index) => count > 0 && terms[index]?.kind !== "part"),
      isInChange: changes.has(commit.hash),
      isInLines,
    };
  });
  // A message with only part of a name is not a match.
  return ranked
    .filter((one) => one.isInMessage || one.isInChange || one.isInLines)
    .sort((a, b) => b.score - a.score || newestFirst(a.commit, b.commit));
}

export function newestFirst(a: Commit, b: Commit): number {
  return b.time - a.time;
}

function countsIn(text: string, terms: readonly Term[]): readonly number[] {
  return matchFile("message.txt", text, terms)?.counts ?? [];
}

/** Authors with their number of commits, most first. */
export function peopleOf(commits: readonly Commit[]): { name: string; commits: number; first: string; last: string }[] {
  const people = [...Map.groupBy(commits, (commit) => commit.author)].map(([name, own]) => {
    const days = own.map((commit) => commit.date).sort();
    return { name, commits: own.length, first: days[0] ?? "", last: days.at(-1) ?? "" };
  });
  return people.sort((a, b) => b.commits - a.commits || (a.last < b.last ? 1 : -1));
}
