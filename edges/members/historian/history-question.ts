/** Classifies a question about history by its words. The first matching rule decides. */
import { parseQuestion, type Question } from "../search/question.ts";

export type HistoryKind = "help" | "more" | "commit" | "recent" | "people" | "words" | "commands" | "nothing";

export interface HistoryQuestion {
  kind: HistoryKind;
  /** The question without the words about history itself. */
  question: Question;
  /** Possible commit ids. */
  commitIds: readonly string[];
  /** Line number after a path: `src/a.ts:12`. */
  line: number | undefined;
  /** In git's date format, made of fixed words and numbers only. */
  since: string | undefined;
  /** How many commits were asked for ("the last 5 commits"). */
  count: number | undefined;
  asksWhy: boolean;
  asksWho: boolean;
}

const COMMIT_IDS_MAX = 3;
const COUNT_MAX = 50;

const HELP =
  /^(?:historian[,:]?\s+)?(?:\/?help|what (?:can|do) you do|who are you|what are you|how do you work|what is historian)\b[\s?!.]*$/i;
const COMMIT_ID = /(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w/])/g;
const LOCATION = /[\w./-]+\.\w+:(\d{1,7})\b/;
const RECENT =
  /\b(?:recent(?:ly)?|latest|newest|lately|last|history|commits?|changes?|changed|happened|new|git log|what'?s new)\b/i;
const PEOPLE =
  /\b(?:contributors?|authors?|committers?|maintainers?|who\s+(?:works?|worked|wrote|writes|made|maintains?|owns?|built|is behind)\b)/i;
const WHY = /\bwhy\b|\breasons?\b|\bhow come\b|\bwhat for\b|\bmotivation\b/i;
const WHO = /\bwho(?:se|m)?\b|\bauthors?\b|\bblame\b/i;
const COUNT =
  /\b(?:last|latest|newest|recent)\s+(\d{1,3})\b|\b(\d{1,3})\s+(?:last|latest|newest|most recent|recent)\b/i;

/** Words that ask for history; as search terms they would match every commit. */
const HISTORY_TERMS = new Set(
  `ago added became become author authors authored blame blamed change changed changes changing commit commits committed committer contributor
  contributors created day days deleted edited evolve evolved evolution git happened historian history introduced
  lately latest maintainer maintainers maintain maintains modified month months moved newest old older origin originally
  recent recently reason reasons removed renamed since today touched week weeks went gone written wrote year years yesterday
  january february march april june july august september october november december`.split(/\s+/),
);

export function parseHistoryQuestion(raw: string): HistoryQuestion {
  const question = parseAboutHistory(raw);
  const { text } = question;
  const commitIds = [...new Set(text.match(COMMIT_ID))].slice(0, COMMIT_IDS_MAX);
  const line = LOCATION.exec(text)?.[1];
  const facts = {
    question,
    commitIds,
    line: line === undefined ? undefined : Number(line),
    since: sinceOf(text),
    count: countOf(text),
    asksWhy: WHY.test(text),
    asksWho: WHO.test(text),
  };
  return { kind: kindOf(facts), ...facts };
}

/** Also used when a message is added to a running search. */
export function parseAboutHistory(raw: string): Question {
  const question = parseQuestion(raw);
  const ids = new Set<string>(question.text.match(COMMIT_ID));
  const terms = question.terms.filter(
    (term) => !(term.kind === "word" && HISTORY_TERMS.has(term.full)) && !ids.has(term.shown) && !isDate(term.shown),
  );
  return { ...question, terms };
}

function isDate(text: string): boolean {
  return /^\d{4}(?:-\d\d){0,2}$/.test(text);
}

function kindOf(facts: Omit<HistoryQuestion, "kind">): HistoryKind {
  const { question, commitIds, since, count } = facts;
  if (HELP.test(question.text)) return "help";
  if (question.kind === "more") return "more";
  if (commitIds.length > 0) return "commit";
  // "Where do I start reading?" and "how do I run the tests" are not about history.
  if (question.kind === "overview" || question.kind === "start") return "recent";
  if (question.kind === "commands") return "commands";
  if (question.paths.length > 0 || question.terms.length > 0) return "words";
  if (PEOPLE.test(question.text)) return "people";
  if (since !== undefined || count !== undefined || RECENT.test(question.text)) return "recent";
  return "nothing";
}

/** The question's text never reaches git here, only a listed unit and digits. */
function sinceOf(text: string): string | undefined {
  const date = /\bsince\s+(\d{4}-\d\d-\d\d)\b/i.exec(text)?.[1];
  if (date !== undefined) return `${date}T00:00:00`;
  const spans = /\b(?:last|past|within|in the last|since)\s+(\d{1,3})\s+(day|week|month|year)s?\b/i.exec(text);
  const ago = spans ?? /\b(\d{1,3})\s+(day|week|month|year)s?\s+ago\b/i.exec(text);
  if (ago !== null) return `${Number(ago[1])}.${(ago[2] ?? "").toLowerCase()}.ago`;
  const unit = /\b(?:this|last|past)\s+(day|week|month|year)\b/i.exec(text)?.[1];
  if (unit !== undefined) return `1.${unit.toLowerCase()}.ago`;
  if (/\byesterday\b/i.test(text)) return "2.day.ago";
  return /\btoday\b/i.test(text) ? "midnight" : undefined;
}

function countOf(text: string): number | undefined {
  const match = COUNT.exec(text);
  if (match === null || sinceOf(text) !== undefined) return undefined;
  return Math.min(COUNT_MAX, Math.max(1, Number(match[1] ?? match[2])));
}
