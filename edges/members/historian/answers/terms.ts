/** Answers a question about terms: who introduced them, when and why they changed, and who wrote the current lines. */
import type { EmbeddedTurn, FileList } from "../../../../src/agents/index.ts";
import { readExcerpts, searchWithSteers } from "../../scout/answer-search.ts";
import { listFilesTool } from "../../search/file-tools.ts";
import { chooseHits } from "../../search/choose-hits.ts";
import type { Question } from "../../search/question.ts";
import { rankFiles, type RankedFile } from "../../search/rank.ts";
import type { SearchResult } from "../../search/search-text.ts";
import type { Term } from "../../search/terms.ts";
import { blameExcerpts } from "../blamed-excerpts.ts";
import { logTool, patchTool, type LogResult } from "../git/tools.ts";
import type { ExplainedCommit, HistoryFindings, Life } from "../findings.ts";
import { parseAboutHistory, type HistoryQuestion } from "../history-question.ts";
import { bestExcerpt } from "../git/patch.ts";
import { newestFirst, rankCommits, type RankedCommit } from "../rank-commits.ts";
import type { Repository } from "../git/repository.ts";
import { writeHistory, type LeftCommits } from "../write-history.ts";
import { plural } from "../../../../src/kit/text/format.ts";

const COMMITS_MAX = 60;
/** Each is a pass over the whole history. */
const PICKAXES_MAX = 3;
/** A word in more files than this is too common for its history to be meaningful. */
const RARE_FILES_MAX = 3;
/** Shorter words are too often part of others. */
const LONG_WORD_CHARS = 6;
const EXCERPTS_MAX = 3;
const EXPLAINED_MAX = 3;
const FALLBACK_FILES_MAX = 5;

export async function answerTerms(
  turn: EmbeddedTurn,
  repository: Repository,
  { request, author = "" }: { request: HistoryQuestion; author?: string },
): Promise<LeftCommits | undefined> {
  const { question, ranked, result } = await searchToday(turn, repository, request.question);
  const { terms } = question;
  const whole = terms.filter((term) => term.kind !== "part");
  const searched = whole.length > 0 ? whole : terms;
  const { since } = request;
  const pickaxed = choosePickaxes(terms, result);
  const titled = (what: string) => `git log ${what}${author === "" ? "" : ` by ${author}`}`;
  const [messages, lives, today] = await Promise.all([
    logTool(turn, repository, {
      query: { count: COMMITS_MAX, grep: searched.map((term) => term.needle), since, author },
      title: titled(
        `for messages with ${searched
          .map((term) => term.shown)
          .slice(0, 4)
          .join(", ")}`,
      ),
    }),
    Promise.all(
      pickaxed.map(async (term): Promise<Life> => ({
        term,
        isHereToday: (result?.fileCounts[terms.indexOf(term)] ?? 0) > 0,
        log: await traceTerm(turn, repository, { term, since, author, ranked, title: titled(`-S ${term.shown}`) }),
      })),
    ),
    blameToday(turn, repository, ranked),
  ]);
  const byChange = lives.map(({ term, log }) => ({ term, commits: log.commits }));
  const byLines = author === "" && since === undefined ? today.commits : [];
  const rankedCommits = rankCommits({ byMessage: messages.commits, byChange, byLines }, terms);
  const findings: HistoryFindings = {
    request,
    question,
    repository,
    author,
    lives,
    rankedCommits,
    explained: await explain(turn, repository, { chosen: chooseExplained(rankedCommits, lives), lives, terms }),
    blamed: today.blamed,
    commits: new Map(
      [...rankedCommits.map((one) => one.commit), ...today.commits].map((commit) => [commit.hash, commit]),
    ),
    isTimedOut: messages.isTimedOut || lives.some((life) => life.log.isTimedOut),
  };
  return writeHistory(turn, findings);
}

interface Today {
  question: Question;
  ranked: readonly RankedFile[];
  /** Undefined in a repository without a work tree. */
  result: SearchResult | undefined;
}

async function searchToday(turn: EmbeddedTurn, repository: Repository, initial: Question): Promise<Today> {
  const files: FileList = repository.hasWorkTree
    ? await listFilesTool(turn, repository)
    : { paths: [], by: "git", isCut: false, unreadableDirectories: 0 };
  const { question, result } = await searchWithSteers(turn, repository, {
    question: initial,
    files,
    parse: parseAboutHistory,
  });
  const intent = { looksFor: "definition" as const, aboutTests: question.aboutTests };
  const ranked = rankFiles(result, files.paths, { terms: question.terms, intent });
  return { question, ranked, result: repository.hasWorkTree ? result : undefined };
}

/** Names and phrases always have a history to search; a plain word only if it is rare, gone, or the whole question. */
function choosePickaxes(terms: readonly Term[], result: SearchResult | undefined): Term[] {
  const names = terms.filter((term) => term.kind === "identifier" || term.kind === "phrase");
  const wordTerms = terms.filter((term) => term.kind === "word");
  const isAll = names.length === 0 && wordTerms.length === 1;
  const telling = wordTerms.filter((term) => {
    const inFiles = result?.fileCounts[terms.indexOf(term)] ?? 0;
    return term.needle.length > 3 && (inFiles <= RARE_FILES_MAX || (isAll && term.needle.length >= LONG_WORD_CHARS));
  });
  return [...names, ...telling].slice(0, PICKAXES_MAX);
}

/** Searches the whole history; if that takes too long, the history of the files that contain the word today. */
async function traceTerm(
  turn: EmbeddedTurn,
  repository: Repository,
  trace: { term: Term; since: string | undefined; author: string; ranked: readonly RankedFile[]; title: string },
): Promise<LogResult> {
  const { term, since, author, title } = trace;
  const query = { count: COMMITS_MAX, pickaxe: term.kind === "word" ? term.needle : term.shown, since, author };
  const all = await logTool(turn, repository, { query, title });
  const paths = trace.ranked.slice(0, FALLBACK_FILES_MAX).map((file) => file.path);
  if (!all.isTimedOut || paths.length === 0) return all;
  const some = await logTool(turn, repository, {
    query: { ...query, paths },
    title: `${title} in ${plural(paths.length, "file")}`,
  });
  const known = new Set(all.commits.map((commit) => commit.hash));
  const commits = [...all.commits, ...some.commits.filter((commit) => !known.has(commit.hash))].sort(newestFirst);
  return { commits, isWhole: false, isTimedOut: true };
}

async function blameToday(turn: EmbeddedTurn, repository: Repository, ranked: readonly RankedFile[]) {
  const { shown } = chooseHits(ranked, "search");
  const excerpts = await readExcerpts(turn, repository, { shown: shown.slice(0, EXCERPTS_MAX), further: [], left: [] });
  return blameExcerpts(turn, repository, excerpts);
}

/** The best ones; for a name, also the commit that introduced it and the last one that touched it. */
function chooseExplained(rankedCommits: readonly RankedCommit[], lives: readonly Life[]): RankedCommit[] {
  const ends = lives.slice(0, 1).flatMap(({ log: { commits }, isHereToday }) => {
    const [newest, oldest] = [commits[0], commits.at(-1)];
    return isHereToday ? [oldest, newest] : [newest, oldest];
  });
  const first = ends.flatMap((end) => rankedCommits.find((one) => one.commit.hash === end?.hash) ?? []);
  return [
    ...new Set([...first, ...rankedCommits.filter((one) => one.isInMessage || one.isInChange), ...rankedCommits]),
  ].slice(0, EXPLAINED_MAX);
}

async function explain(
  turn: EmbeddedTurn,
  repository: Repository,
  { chosen, lives, terms }: { chosen: readonly RankedCommit[]; lives: readonly Life[]; terms: readonly Term[] },
): Promise<ExplainedCommit[]> {
  return Promise.all(
    chosen.map(async (ranked) => {
      const { commit } = ranked;
      const life = lives.find(({ log }) => log.commits.some((one) => one.hash === commit.hash));
      const pickaxe = life === undefined ? "" : life.term.kind === "word" ? life.term.needle : life.term.shown;
      const patch = await patchTool(turn, repository, { commit, pickaxe });
      return { ranked, excerpt: bestExcerpt(patch.files, life === undefined ? terms : [life.term]) };
    }),
  );
}
