/** Whether a word of the question is the name of somebody who wrote here: "what did Ada change". */
import type { EmbeddedTurn } from "../../../src/agents/index.ts";
import { logTool } from "./git/tools.ts";
import type { HistoryQuestion } from "./history-question.ts";
import type { Repository } from "./git/repository.ts";

const COMMITS_MAX = 1_000;

/** Somebody is named after one of these words, or with a capital letter. */
const BY = /\b(?:by|did|has|have|had|from|of)\s+(\p{L}[\p{L}'-]+)/giu;
const CAPITAL = /(?<=\s)(\p{Lu}\p{Ll}+)\b/gu;

export async function findAuthor(
  turn: EmbeddedTurn,
  repository: Repository,
  request: HistoryQuestion,
): Promise<{ author: string; rest: HistoryQuestion }> {
  const { text, terms } = request.question;
  const named = new Set([...text.matchAll(BY), ...text.matchAll(CAPITAL)].map(([, name = ""]) => name.toLowerCase()));
  const candidates = terms.filter((term) => term.kind === "word" && named.has(term.full));
  if (candidates.length === 0) return { author: "", rest: request };
  const { commits } = await logTool(turn, repository, {
    query: { count: COMMITS_MAX },
    title: "git log, who wrote here",
  });
  const nameTokens = new Set(commits.flatMap((commit) => commit.author.toLowerCase().split(/[^\p{L}\p{N}'-]+/u)));
  const authors = candidates.filter((term) => nameTokens.has(term.full));
  const [author] = authors;
  if (author === undefined) return { author: "", rest: request };
  const question = { ...request.question, terms: terms.filter((term) => !authors.includes(term)) };
  return { author: author.shown, rest: { ...request, question } };
}
