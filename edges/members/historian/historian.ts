/**
 * Historian: answers from git who wrote what a question names, when it was added and why it changed.
 * Rule-based: no model, no network, no writes, and no program that the repository's configuration names.
 */
import {
  type AgentSetup,
  checksDirectory,
  type EmbeddedMember,
  type EmbeddedTurn,
  type Routine,
} from "../../../src/agents/index.ts";
import { resolvePaths } from "../scout/answer-file.ts";
import { shownTerms } from "../scout/answer-search.ts";
import { listFilesTool } from "../search/file-tools.ts";
import { inlineCode } from "../markdown.ts";
import { answerSteers, noteAttachments, openWorkspace } from "../routine.ts";
import { isTryPhrase } from "../scout/try/phrases.ts";
import { isProductName } from "../search/references.ts";
import { answerFileHistory, answerLostFile } from "./answers/file-history.ts";
import { answerDiscussion, NOTHING_TO_ADD } from "./answers/discussion.ts";
import { answerCommit, answerPeople, answerRecent } from "./answers/commits.ts";
import { answerTerms } from "./answers/terms.ts";
import { parseHistoryQuestion, type HistoryQuestion } from "./history-question.ts";
import { probeRepositoryTool, type Repository } from "./git/repository.ts";
import { commitList, type LeftCommits } from "./write-history.ts";
import { logTool } from "./git/tools.ts";

export const historian: EmbeddedMember = {
  name: "historian",
  about: "historian reads git by rules; no model involved",
  prepare: checksDirectory("historian"),
  createRoutine: createHistorian,
};

const MORE_MAX = 15;

function createHistorian(setup: AgentSetup): Routine {
  let left: LeftCommits | undefined;
  const reported = new Set<string>();
  return async (turn) => {
    if (turn.round !== undefined && turn.round > 1) {
      await discuss(turn, setup, reported);
    } else {
      await noteAttachments(turn, "the git history");
      left = await handle(turn, setup, { text: turn.text, left });
    }
    await answerSteers(turn, async (text) => {
      left = await handle(turn, setup, { text, left });
    });
  };
}

async function discuss(turn: EmbeddedTurn, setup: AgentSetup, reported: Set<string>): Promise<void> {
  if (!turn.missed.some(({ speaker }) => speaker.kind === "member")) return turn.write(NOTHING_TO_ADD);
  const probe = await probeRepository(turn, setup);
  // The first round explained why there is no history.
  if (probe.kind === "none") return turn.write(NOTHING_TO_ADD);
  return answerDiscussion(turn, probe.repository, reported);
}

async function probeRepository(turn: EmbeddedTurn, setup: AgentSetup) {
  return probeRepositoryTool(turn, await openWorkspace(setup));
}

interface HistoryPrompt {
  text: string;
  left: LeftCommits | undefined;
}

async function handle(
  turn: EmbeddedTurn,
  setup: AgentSetup,
  { text, left }: HistoryPrompt,
): Promise<LeftCommits | undefined> {
  const request = parseHistoryQuestion(text);
  if (isTryPhrase(request.question.text)) {
    await turn.write(`${NOTHING_TO_ADD} The test phrases are for scout.\n`);
    return left;
  }
  if (request.kind === "help") {
    await turn.write(helpText());
    return left;
  }
  if (request.kind === "more") return writeMore(turn, left);
  if (request.kind === "commands") {
    await turn.write(`${NOTHING_TO_ADD} Ask scout how to run things.\n`);
    return left;
  }
  if (request.kind === "nothing") {
    await turn.write(NO_SEARCH_TERMS);
    await turn.smallPrint();
    return left;
  }
  await turn.write(`${opening(request)}\n\n`);
  const probe = await probeRepository(turn, setup);
  if (probe.kind === "none") {
    await turn.write(`**${probe.why}**\n\n`);
    await turn.smallPrint();
    return undefined;
  }
  return answer(turn, probe.repository, request);
}

const NO_SEARCH_TERMS = `I found nothing in that to look up in the history.

For example, ask *who wrote parseConfig*, *when was the cache added*, *history of README.md*, *what changed recently*, or \`help\`.

`;

function opening({ kind, question, commitIds }: HistoryQuestion): string {
  if (kind === "commit") return `Looking at ${commitIds.map(inlineCode).join(", ")}.`;
  if (kind === "recent") return "Looking at the newest commits.";
  if (kind === "people") return "Looking up who wrote this.";
  const whole = question.terms.some((term) => term.kind !== "part");
  const what = whole
    ? shownTerms(question.terms)
    : question.paths.map(inlineCode).join(", ") || shownTerms(question.terms);
  return `Looking through the history for ${what}.`;
}

async function answer(
  turn: EmbeddedTurn,
  repository: Repository,
  request: HistoryQuestion,
): Promise<LeftCommits | undefined> {
  if (request.kind === "commit") {
    await answerCommit(turn, repository, request);
    return undefined;
  }
  if (request.kind === "recent") return answerRecent(turn, repository, { request });
  if (request.kind === "people") {
    await answerPeople(turn, repository, request);
    return undefined;
  }
  const isOnlyPaths = request.question.terms.every((term) => term.kind === "part");
  if (request.question.paths.length > 0 && isOnlyPaths) {
    const result = await answerPaths(turn, repository, request);
    if (result !== undefined) return result.left;
  }
  const { author, rest } = await findAuthor(turn, repository, request);
  if (author !== "" && rest.question.terms.length === 0)
    return answerRecent(turn, repository, { request: rest, author });
  return answerTerms(turn, repository, { request: rest, author });
}

/** Undefined when no such file exists or ever existed. */
async function answerPaths(
  turn: EmbeddedTurn,
  repository: Repository,
  request: HistoryQuestion,
): Promise<{ left: LeftCommits | undefined } | undefined> {
  const { paths } = repository.hasWorkTree ? await listFilesTool(turn, repository) : { paths: [] };
  const [path] = resolvePaths(request.question.paths, paths);
  if (path !== undefined) return { left: await answerFileHistory(turn, repository, { path, request }) };
  for (const name of request.question.paths)
    if (await answerLostFile(turn, repository, name)) return { left: undefined };
  if (!request.question.paths.every(isProductName))
    await turn.write(
      `No file named ${request.question.paths.map(inlineCode).join(" or ")} exists here, now or in the history.\n\n`,
    );
  return undefined;
}

async function writeMore(turn: EmbeddedTurn, left: LeftCommits | undefined): Promise<LeftCommits | undefined> {
  if (left === undefined) {
    await turn.write("There is nothing more to show. Ask another question.\n");
    return undefined;
  }
  const shown = left.commits.slice(0, MORE_MAX);
  await turn.write(commitList(shown, left.commits.length));
  return left.commits.length > shown.length ? { commits: left.commits.slice(shown.length) } : undefined;
}

function helpText(): string {
  return `**I am historian**, a small rule-based member. I read the git history of this directory: who wrote the lines that match your question, when they were added, why they changed. I use no model and no network, and change nothing.

Ask, for example:

- *who wrote takeLock*, *when was takeLock added*, *why was the retry changed*
- *what happened to parseOptions* (also when it is gone)
- *history of src/main.ts*, *who wrote src/main.ts:40*, *what happened to old-name.ts*
- *what changed recently*, *the last 5 commits*, *what changed since 2024-01-31*, *what did Ada change last month*
- *who works on this*, *show abc1234*, and *more* for the next commits

A message you send while I search adds its words to the search; one you send while I write is answered afterwards. In a discussion I report who wrote the lines that others mention.
`;
}

const AUTHOR_COMMITS_MAX = 1_000;

/** A name follows one of these words, or starts with a capital letter. */
const BY = /\b(?:by|did|has|have|had|from|of)\s+(\p{L}[\p{L}'-]+)/giu;
const CAPITAL = /(?<=\s)(\p{Lu}\p{Ll}+)\b/gu;

/** Finds the author that a question names: "what did Ada change". */
async function findAuthor(
  turn: EmbeddedTurn,
  repository: Repository,
  request: HistoryQuestion,
): Promise<{ author: string; rest: HistoryQuestion }> {
  const { text, terms } = request.question;
  const named = new Set([...text.matchAll(BY), ...text.matchAll(CAPITAL)].map(([, name = ""]) => name.toLowerCase()));
  const candidates = terms.filter((term) => term.kind === "word" && named.has(term.full));
  if (candidates.length === 0) return { author: "", rest: request };
  const { commits } = await logTool(turn, repository, {
    query: { count: AUTHOR_COMMITS_MAX },
    title: "git log for authors",
  });
  const nameTokens = new Set(commits.flatMap((commit) => commit.author.toLowerCase().split(/[^\p{L}\p{N}'-]+/u)));
  const authors = candidates.filter((term) => nameTokens.has(term.full));
  const [author] = authors;
  if (author === undefined) return { author: "", rest: request };
  const question = { ...request.question, terms: terms.filter((term) => !authors.includes(term)) };
  return { author: author.shown, rest: { ...request, question } };
}
