/** Results of a history search, before formatting. */
import type { Question } from "../search/question.ts";
import type { Term } from "../search/terms.ts";
import type { BlamedExcerpt } from "./blamed-excerpts.ts";
import type { LogResult } from "./git/tools.ts";
import type { HistoryQuestion } from "./history-question.ts";
import type { Commit } from "./git/log-records.ts";
import type { DiffExcerpt } from "./git/patch.ts";
import type { RankedCommit } from "./rank-commits.ts";
import type { Repository } from "./git/repository.ts";

/** When a name was added and removed. */
export interface Life {
  term: Term;
  /** The newest first. */
  log: LogResult;
  isHereToday: boolean;
}

export interface ExplainedCommit {
  ranked: RankedCommit;
  excerpt: DiffExcerpt | undefined;
}

export interface HistoryFindings {
  request: HistoryQuestion;
  question: Question;
  repository: Repository;
  author: string;
  lives: readonly Life[];
  /** The best first. */
  rankedCommits: readonly RankedCommit[];
  explained: readonly ExplainedCommit[];
  blamed: readonly BlamedExcerpt[];
  commits: ReadonlyMap<string, Commit>;
  isTimedOut: boolean;
}
