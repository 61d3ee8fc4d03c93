/** Answers a question about a named file: who created it, who changed it and why, or what happened to it. */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";
import { readExcerpts } from "../../scout/answer-search.ts";
import { counted, inlineCode, reference } from "../../markdown.ts";
import { blameExcerpts, formatBlame } from "../blamed-excerpts.ts";
import { logTool, patchTool } from "../git/tools.ts";
import type { HistoryQuestion } from "../history-question.ts";
import type { Commit } from "../git/log-records.ts";
import { bestExcerpt } from "../git/patch.ts";
import type { Repository } from "../git/repository.ts";
import { bodyBlock, commitId, commitLine, diffBlock, peopleLine, person, subjectOf } from "../write-commits.ts";
import { commitList, foot, type LeftCommits } from "../write-history.ts";

const COMMITS_MAX = 200;
const EXPLAINED_MAX = 2;
const LISTED_MAX = 8;

export async function answerFileHistory(
  turn: EmbeddedTurn,
  repository: Repository,
  { path, request }: { path: string; request: HistoryQuestion },
): Promise<LeftCommits | undefined> {
  const query = { count: COMMITS_MAX, paths: [path], follow: true, since: request.since };
  const [log, blameText] = await Promise.all([
    logTool(turn, repository, { query, title: `git log of ${path}` }),
    request.line === undefined ? undefined : blameLine(turn, repository, path, request.line),
  ]);
  const [newest] = log.commits;
  const oldest = log.commits.at(-1);
  if (newest === undefined || oldest === undefined) {
    const when =
      request.since === undefined ? "is not committed yet, so it has no history" : "was not changed in that time";
    await turn.write(`**${reference(path)} ${when}.**\n\n`);
    await turn.smallPrint(...foot({ ...repository, ...log }));
    return undefined;
  }
  await turn.write(
    `${fileLine({ path, newest, oldest, isWhole: log.isWhole && !repository.isShallow && request.since === undefined })} ${counted(log.commits.length, "commit")} by ${peopleLine(log.commits)}.\n\n`,
  );
  if (blameText !== undefined) await turn.write(blameText);
  const explained = await writeNewest(turn, repository, { commits: log.commits, path, request });
  const rest = log.commits.filter((commit) => !explained.has(commit.hash));
  await turn.write(commitList(rest.slice(0, LISTED_MAX), rest.length));
  await turn.smallPrint(...foot({ ...repository, ...log }));
  return rest.length > LISTED_MAX ? { commits: rest.slice(LISTED_MAX) } : undefined;
}

async function writeNewest(
  turn: EmbeddedTurn,
  repository: Repository,
  { commits, path, request }: { commits: readonly Commit[]; path: string; request: HistoryQuestion },
): Promise<Set<string>> {
  const chosen = commits.slice(0, EXPLAINED_MAX);
  const patches = await Promise.all(chosen.map((commit) => patchTool(turn, repository, { commit, paths: [path] })));
  for (const [index, commit] of chosen.entries()) {
    // The file had another name before it was moved; the message still says why.
    const excerpt = bestExcerpt(patches[index]?.files ?? [], request.question.terms);
    await turn.write(`${commitLine(commit)}\n\n${bodyBlock(commit)}${excerpt === undefined ? "" : diffBlock(excerpt)}`);
  }
  return new Set(chosen.map((commit) => commit.hash));
}

function fileLine({
  path,
  newest,
  oldest,
  isWhole,
}: {
  path: string;
  newest: Commit;
  oldest: Commit;
  isWhole: boolean;
}): string {
  const since = isWhole
    ? `was added in ${commitId(oldest)} on ${oldest.date}, by ${person(oldest.author)}`
    : `is at least as old as ${commitId(oldest)} from ${oldest.date}`;
  const last =
    newest.hash === oldest.hash
      ? ""
      : ` It was last changed in ${commitId(newest)} on ${newest.date}, by ${person(newest.author)}: ${subjectOf(newest)}.`;
  return `**${reference(path)} ${since}.**${last}`;
}

async function blameLine(turn: EmbeddedTurn, repository: Repository, path: string, line: number): Promise<string> {
  const hit = { path, line, score: 0, terms: [], isDefinition: false, isWhole: true };
  const excerpts = await readExcerpts(turn, repository, { shown: [hit], further: [], left: [] });
  const { blamed, commits } = await blameExcerpts(turn, repository, excerpts);
  const known = new Map(commits.map((commit) => [commit.hash, commit]));
  return blamed.map((one) => formatBlame(one, known)).join("");
}

/** True when the file existed in the past and was reported. */
export async function answerLostFile(turn: EmbeddedTurn, repository: Repository, name: string): Promise<boolean> {
  // A name with glob characters is looked up literally.
  const paths = /[*?[\]\\:]/.test(name) ? [name] : [`:(glob)**/${name}`];
  const query = { count: COMMITS_MAX, paths };
  const deletions = await logTool(turn, repository, {
    query: { ...query, onlyDeletions: true },
    title: `git log for the deletion of ${name}`,
  });
  const [gone] = deletions.commits;
  if (gone === undefined) return false;
  const log = await logTool(turn, repository, { query, title: `git log of ${name}` });
  await turn.write(
    `**${inlineCode(name)} is gone: deleted, moved or renamed in ${commitId(gone)} on ${gone.date}, by ${person(gone.author)}**: ${subjectOf(gone)}.\n\n${bodyBlock(gone)}`,
  );
  const rest = log.commits.filter((commit) => commit.hash !== gone.hash);
  await turn.write(commitList(rest.slice(0, LISTED_MAX), rest.length));
  await turn.smallPrint(...foot({ ...repository, ...log }));
  return true;
}
