/** Formats the results: a short answer, the current lines, the commits and what they changed. */
import type { EmbeddedTurn } from "../../../src/agents/index.ts";
import { counted, inlineCode } from "../markdown.ts";
import { formatBlame } from "./blamed-excerpts.ts";
import type { ExplainedCommit, HistoryFindings, Life } from "./findings.ts";
import type { Commit } from "./git/log-records.ts";
import { newestFirst } from "./rank-commits.ts";
import { bodyBlock, commitId, commitLine, diffBlock, peopleLine, person, subjectOf } from "./write-commits.ts";
import { formatList } from "../../../src/kit/text/format.ts";

/** Commits left for "more". */
export interface LeftCommits {
  commits: readonly Commit[];
}

const LISTED_MAX = 8;

export async function writeHistory(turn: EmbeddedTurn, findings: HistoryFindings): Promise<LeftCommits | undefined> {
  const { rankedCommits, explained, blamed, commits } = findings;
  if (rankedCommits.length === 0 && blamed.length === 0) {
    await turn.write(formatNoHistory(findings));
    await turn.smallPrint(...footOf(findings));
    return undefined;
  }
  await turn.write(headline(findings));
  if (blamed.length > 0) {
    await turn.write("Who wrote the current lines:\n\n");
    for (const excerpt of blamed) await turn.write(formatBlame(excerpt, commits));
  }
  const written = new Set<string>();
  for (const one of explained) {
    const { commit } = one.ranked;
    const change = one.excerpt === undefined || isShownToday(one, findings) ? "" : diffBlock(one.excerpt);
    const reasons = bodyBlock(commit);
    const isCited = blamed.some(
      ({ blame }) => blame.kind === "lines" && blame.lines.some((line) => line.by.hash === commit.hash),
    );
    // Commits that are already explained by a place above, or add nothing, go into the list.
    if (change + reasons === "" && !isCited) continue;
    written.add(commit.hash);
    if (change + reasons !== "") await turn.write(`${commitLine(commit)}\n\n${reasons}${change}`);
  }
  const rest = rankedCommits.map((one) => one.commit).filter((commit) => !written.has(commit.hash));
  await turn.write(commitList(rest.slice(0, LISTED_MAX), rest.length));
  await turn.smallPrint(...footOf(findings));
  return rest.length > LISTED_MAX ? { commits: rest.slice(LISTED_MAX) } : undefined;
}

/** Its lines are shown above already. */
function isShownToday({ ranked, excerpt }: ExplainedCommit, { blamed }: HistoryFindings): boolean {
  return blamed.some(
    ({ blame, excerpt: shown }) =>
      shown.path === excerpt?.path &&
      blame.kind === "lines" &&
      blame.lines.every((line) => line.by.hash === ranked.commit.hash),
  );
}

/** By date; if there are too many, the best ones. */
export function commitList(commits: readonly Commit[], total: number): string {
  if (commits.length === 0) return "";
  const lines = commits.toSorted(newestFirst).map((commit) => `- ${commitLine(commit)}`);
  const left = total - commits.length;
  if (left > 0) lines.push(`- … and ${left} more (ask *more*)`);
  return `Other commits about it, newest first:\n\n${lines.join("\n")}\n\n`;
}

function headline(findings: HistoryFindings): string {
  const { lives, rankedCommits, request, blamed, commits } = findings;
  const all = rankedCommits.map((one) => one.commit);
  const who = all.length > 1 ? ` ${counted(all.length, "commit")} by ${peopleLine(all)}.` : "";
  const life = lives.find((one) => one.log.commits.length > 0);
  if (life !== undefined && findings.author === "" && request.since === undefined)
    return `${lifeLine(life, findings)}${who}\n\n`;
  const best = rankedCommits.find((one) => one.isInMessage || one.isInChange);
  if (best !== undefined)
    return `**The best matching commit is ${commitId(best.commit)}** from ${best.commit.date} by ${person(best.commit.author)}: ${subjectOf(best.commit)}.${who}\n\n`;
  const first = blamed[0];
  const own = first?.blame.kind === "lines" ? first.blame.lines[0]?.by : undefined;
  const commit = own === undefined ? undefined : commits.get(own.hash);
  if (commit === undefined) return `**No commit mentions ${subjects(findings)}.**\n\n`;
  return `**No commit message mentions ${subjects(findings)}.** The matching lines were last changed in ${commitId(commit)} on ${commit.date} by ${person(commit.author)}.${who}\n\n`;
}

function lifeLine({ term, log, isHereToday }: Life, { repository, explained }: HistoryFindings): string {
  const newest = log.commits[0];
  const oldest = log.commits.at(-1);
  if (newest === undefined || oldest === undefined) return "";
  const name = inlineCode(term.shown);
  const by = (commit: Commit) =>
    `${commitId(commit)} on ${commit.date}, by ${person(commit.author)}: ${subjectOf(commit)}`;
  const isSure = log.isWhole && !(repository.isShallow && oldest.parents === 0);
  const first = explained.find((one) => one.ranked.commit.hash === oldest.hash)?.excerpt;
  const where = (word: "in" | "to") => (first === undefined ? "" : ` ${word} ${inlineCode(first.path)}`);
  const isOne = newest.hash === oldest.hash;
  const root = oldest.parents === 0 && isSure ? ", the first commit here" : "";
  const added = isSure
    ? `was added${where("to")} in ${by(oldest)}${root}`
    : `was there${where("in")} no later than ${by(oldest)}; older history ${repository.isShallow ? "is not in this shallow clone" : "was not searched"}`;
  if (!isHereToday && repository.hasWorkTree && !isOne)
    return `**${name} is gone: it was removed in ${by(newest)}.** It ${added}.`;
  const last = isOne ? "" : ` The last commit to add or remove an occurrence is ${by(newest)}.`;
  return `**${name} ${added}.**${last}`;
}

function subjects({ question }: HistoryFindings): string {
  const whole = question.terms.filter((term) => term.kind !== "part");
  return formatList((whole.length > 0 ? whole : question.terms).map((term) => inlineCode(term.shown)));
}

function formatNoHistory(findings: HistoryFindings): string {
  const { author, request } = findings;
  const limits = [
    author === "" ? "" : ` by ${person(author)}`,
    request.since === undefined ? "" : " in that time",
  ].join("");
  return [
    `**Nothing found${limits} for ${subjects(findings)}**: no match in commit messages, changes or current lines.`,
    "",
    "- Use a name that appears or once appeared in the files, or a word from a commit message.",
    "- Ask *what changed recently*, or for the history of a file.",
    "",
    "",
  ].join("\n");
}

/** What limits the answer. */
export function foot({ isShallow, isTimedOut }: { isShallow: boolean; isTimedOut: boolean }): string[] {
  return [
    isShallow ? "This is a shallow clone: older commits are missing (`git fetch --unshallow` fetches them)" : "",
    isTimedOut ? "The history is long: I stopped after 3 s and did not search its oldest part" : "",
  ];
}

function footOf({ repository, isTimedOut }: HistoryFindings): string[] {
  return foot({ isShallow: repository.isShallow, isTimedOut });
}
