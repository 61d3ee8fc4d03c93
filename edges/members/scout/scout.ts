/**
 * Scout: finds files and lines in the session's directory that match the words of a question.
 * Rule-based: no model, no network, no writes. Reads nothing outside the directory.
 */
import {
  type AgentSetup,
  checksDirectory,
  type EmbeddedMember,
  type EmbeddedTurn,
  type Routine,
} from "../../../src/agents/index.ts";
import { isProductName } from "../search/references.ts";
import { answerFile, resolvePaths } from "./answer-file.ts";
import { answerCommands, answerOverview } from "./answer-project.ts";
import { answerStart } from "./answer-start.ts";
import { answerSearch, readExcerpts, type Leftover } from "./answer-search.ts";
import { listFilesTool, readLinesTool, type Workspace } from "../search/file-tools.ts";
import { excerptBlock, inlineCode } from "../markdown.ts";
import { answerSteers, noteAttachments, openWorkspace } from "../routine.ts";
import { nextHits } from "../search/choose-hits.ts";
import { parseQuestion, type Question } from "../search/question.ts";
import { formatHitLines } from "./report.ts";
import { isTryPhrase, runTryPhrase, tryPhraseList } from "./try/phrases.ts";

export const scout: EmbeddedMember = {
  name: "scout",
  about: "scout matches words; no model involved",
  prepare: checksDirectory("scout"),
  createRoutine: createScout,
};

function createScout(setup: AgentSetup): Routine {
  let leftover: Leftover | undefined;
  return async (turn) => {
    // Scout answers in the first round; in a discussion it only answers messages that arrive meanwhile.
    const isDiscussing = turn.round !== undefined && turn.round > 1;
    if (isDiscussing && !turn.hasSteer()) await turn.write(NOTHING_TO_ADD);
    await noteAttachments(turn, "files in this directory");
    if (!isDiscussing) leftover = await handle(turn, setup, { text: turn.text, leftover });
    await answerSteers(turn, async (text) => {
      leftover = await handle(turn, setup, { text, leftover });
    });
  };
}

async function handle(
  turn: EmbeddedTurn,
  setup: AgentSetup,
  { text, leftover }: { text: string; leftover: Leftover | undefined },
): Promise<Leftover | undefined> {
  const question = parseQuestion(text);
  if (isTryPhrase(question.text)) {
    await runTryPhrase(turn, question.text);
    return leftover;
  }
  if (question.kind === "help") {
    await turn.write(helpText());
    return leftover;
  }
  const workspace = await openWorkspace(setup);
  if (question.kind === "more") return answerMore(turn, workspace, leftover);
  if (question.kind === "start") {
    await answerStart(turn, workspace, question);
    return undefined;
  }
  if (question.kind === "overview") {
    await answerOverview(turn, workspace);
    return undefined;
  }
  if (question.kind === "commands" && (await answerCommands(turn, workspace, question))) return undefined;
  if (question.paths.length > 0 && (await answerNamedFile(turn, workspace, question))) return undefined;
  if (question.terms.length > 0) return answerSearch(turn, workspace, question);
  await turn.write(NOTHING_TO_SEARCH);
  await turn.smallPrint();
  return leftover;
}

const NOTHING_TO_ADD = "Nothing to add.";

const NOTHING_TO_SEARCH = `I found nothing to search for in that.

For example, ask *where is createServer defined*, *which files are about login*, *how do I run the tests*, *what is this project*, or \`help\`.

`;

/** A question that only names a file is about the whole file. */
async function answerNamedFile(turn: EmbeddedTurn, workspace: Workspace, question: Question): Promise<boolean> {
  if (question.terms.some((term) => term.kind !== "part")) return false;
  await turn.write(`Looking for ${question.paths.map(inlineCode).join(", ")}.\n\n`);
  const { paths } = await listFilesTool(turn, workspace);
  const [path] = resolvePaths(question.paths, paths);
  if (path === undefined) {
    if (!question.paths.every(isProductName))
      await turn.write(`There is no file ${question.paths.map(inlineCode).join(" or ")} here.\n\n`);
    return false;
  }
  await answerFile(turn, workspace, path);
  return true;
}

async function answerMore(
  turn: EmbeddedTurn,
  workspace: Workspace,
  leftover: Leftover | undefined,
): Promise<Leftover | undefined> {
  const choice = leftover === undefined ? undefined : nextHits(leftover.choice);
  if (leftover === undefined || choice === undefined || choice.shown.length === 0) {
    await turn.write("There is nothing more to show. Ask another question.\n");
    return undefined;
  }
  await turn.write("More matches for your last question:\n\n");
  for (const excerpt of await readExcerpts(turn, workspace, choice)) await turn.write(excerptBlock(excerpt));
  await turn.write(formatHitLines(await readLinesTool(turn, workspace, choice.further)));
  return { question: leftover.question, choice };
}

function helpText(): string {
  return `**I am scout**, a small rule-based member. I find the files and lines in this directory that match your question. I use no model and no network, change nothing, and read nothing outside the directory.

Ask, for example:

- *where is createServer defined*, *who calls parseConfig*
- *how does the login work*, *which files are about caching*
- *what is this project*, *how do I run the tests*
- *show src/main.ts*, and *more* for the next matches
- words in quotes are searched literally: *"connection refused"*

A message you send while I search adds its words to the search; one you send while I write is answered afterwards.

To try each part of the interface without a model, send one of these:

${tryPhraseList()}
`;
}
