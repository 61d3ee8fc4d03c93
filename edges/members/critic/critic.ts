/**
 * Critic: checks what other members said against the files, and looks for risks and missing tests around a question.
 * Rule-based: no model, no network, no writes. Reads nothing outside the directory.
 */
import {
  type AgentSetup,
  checksDirectory,
  type EmbeddedMember,
  type EmbeddedTurn,
  type Routine,
} from "../../../src/agents/index.ts";
import { shownTerms } from "../scout/answer-search.ts";
import { inlineCode } from "../markdown.ts";
import { answerSteers, noteAttachments, openWorkspace } from "../routine.ts";
import { isTryPhrase } from "../scout/try/phrases.ts";
import { answerDiscussion } from "./answer-discussion.ts";
import { answerRisks } from "./answer-risks.ts";
import { parseCriticQuestion, type CriticQuestion } from "./critic-question.ts";
import { NOTHING_TO_ADD, riskList, RISKS_SHOWN_MAX, type LeftRisks } from "./write-risks.ts";

export const critic: EmbeddedMember = {
  name: "critic",
  about: "critic checks by rules; no model involved",
  prepare: checksDirectory("critic"),
  createRoutine: createCritic,
};

function createCritic(setup: AgentSetup): Routine {
  let left: LeftRisks | undefined;
  const reported = new Set<string>();
  return async (turn) => {
    const request = parseCriticQuestion(turn.text);
    await noteAttachments(turn, "files in this directory");
    if (isAboutDiscussion(turn, request)) await answerDiscussion(turn, await openWorkspace(setup), reported);
    else left = await handle(turn, setup, { request, left });
    await answerSteers(turn, async (text) => {
      left = await handle(turn, setup, { request: parseCriticQuestion(text), left });
    });
  };
}

/**
 * Later rounds are about what was said. In the first round the question is new, and what was said before was about
 * another one, unless it asks for a judgement of it. A message to the critic alone is about the discussion, if there
 * was one and it does not ask for risks.
 */
function isAboutDiscussion(turn: EmbeddedTurn, request: CriticQuestion): boolean {
  if (turn.round !== undefined && turn.round > 1) return true;
  if (request.kind === "help" || request.kind === "more") return false;
  const hasDiscussion = turn.missed.some(({ speaker }) => speaker.kind === "member");
  return hasDiscussion && (request.kind === "check" || (turn.round === undefined && !request.asksForRisks));
}

async function handle(
  turn: EmbeddedTurn,
  setup: AgentSetup,
  { request, left }: { request: CriticQuestion; left: LeftRisks | undefined },
): Promise<LeftRisks | undefined> {
  if (isTryPhrase(request.question.text)) {
    await turn.write(`${NOTHING_TO_ADD} The test phrases are for scout.\n`);
    return left;
  }
  if (request.kind === "help") {
    await turn.write(helpText());
    return left;
  }
  if (request.kind === "more") return writeMore(turn, left);
  if (request.kind === "check" && request.question.terms.length === 0 && request.question.paths.length === 0) {
    await turn.write(`${NOTHING_TO_ADD} No other member has said anything I could check.\n`);
    return left;
  }
  if (request.kind === "nothing") {
    await turn.write(
      `${NOTHING_TO_ADD} Ask me for *risks around* a word, to *review this project*, or for \`help\`.\n`,
    );
    return left;
  }
  await turn.write(`Looking for risks and missing tests ${formatScope(request)}.\n\n`);
  const { terms, paths } = request.question;
  const kind = terms.length === 0 && paths.length === 0 ? "project" : "words";
  return answerRisks(turn, await openWorkspace(setup), { ...request, kind });
}

function formatScope({ question }: CriticQuestion): string {
  if (question.terms.some((term) => term.kind !== "part")) return `around ${shownTerms(question.terms)}`;
  if (question.paths.length > 0) return `in ${question.paths.map(inlineCode).join(", ")}`;
  return question.terms.length > 0 ? `around ${shownTerms(question.terms)}` : "in this project";
}

async function writeMore(turn: EmbeddedTurn, left: LeftRisks | undefined): Promise<LeftRisks | undefined> {
  if (left === undefined) {
    await turn.write("There is nothing more to show. Ask another question.\n");
    return undefined;
  }
  await turn.write(riskList(left.risks.slice(0, RISKS_SHOWN_MAX), left.risks.length));
  return left.risks.length > RISKS_SHOWN_MAX ? { risks: left.risks.slice(RISKS_SHOWN_MAX) } : undefined;
}

function helpText(): string {
  return `**I am critic**, a small rule-based member. I use no model and no network, change nothing, and read nothing outside the directory.

In a discussion I check what the others said against the files: whether the files and lines they cite exist and match what is said about them, whether the names they use occur anywhere, what no test covers, and where they contradict each other. If everything holds, I say *nothing to add*.

Asked directly, I look around the words of your question for missing tests, swallowed errors, skipped tests, TODOs, risky calls, disabled checks, very large files and possible secrets. Ask, for example:

- *risks around takeLock*, *what is untested in src/lock.ts*
- *review this project*, and *more* for the next signs
- *is that right?* after another member has answered

I match patterns, so check each place yourself: a sign is not a bug.
`;
}
