/** Answers questions about the history as a whole: what changed lately, and who works here. */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";
import { counted } from "../../markdown.ts";
import type { QuestionKind } from "../../search/question.ts";
import { logTool, patchTool } from "../git/tools.ts";
import type { HistoryQuestion } from "../history-question.ts";
import { peopleOf } from "../rank-commits.ts";
import type { Repository } from "../git/repository.ts";
import { bodyBlock, commitLine, filesLine, peopleLine, person } from "../write-commits.ts";
import { foot, type LeftCommits } from "../write-history.ts";

const RECENT_MAX = 10;
/** Beside what the others say of the project as a whole. */
const SHOWN_MAX: Partial<Record<QuestionKind, number>> = { overview: 5, start: 1 };
const READ_MAX = 200;
/** Of a repository with more commits, the newest count. */
const PEOPLE_COMMITS_MAX = 5_000;
const PEOPLE_MAX = 15;

export async function answerRecent(
  turn: EmbeddedTurn,
  repository: Repository,
  { request, author = "" }: { request: HistoryQuestion; author?: string },
): Promise<LeftCommits | null> {
  const { since, count } = request;
  const query = { count: count ?? READ_MAX, since, author };
  const { commits, isWhole, isTimedOut } = await logTool(turn, repository, {
    query,
    title: "git log, the newest commits",
  });
  const by = author === "" ? "" : ` by ${person(author)}`;
  const [newest] = commits;
  if (newest === undefined) {
    await turn.write(`**No commits${by}${since === null ? "" : " in that time"}.**\n\n`);
    await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut }));
    return null;
  }
  const shown = commits.slice(0, count ?? SHOWN_MAX[request.question.kind] ?? RECENT_MAX);
  const patch = await patchTool(turn, repository, { commit: newest });
  const total =
    isWhole || count !== null
      ? counted(commits.length, "commit")
      : `more than ${counted(commits.length - 1, "commit")}`;
  await turn.write(
    `**The newest commit${by} is ${commitLine(newest)}**\n\n${bodyBlock(newest)}${filesLine(patch.files)}`,
  );
  if (shown.length > 1) {
    await turn.write(
      `${total[0]?.toUpperCase()}${total.slice(1)}${since === null ? "" : " in that time"}, by ${peopleLine(commits)}. The newest:\n\n`,
    );
    await turn.write(`${shown.map((commit) => `- ${commitLine(commit)}`).join("\n")}\n\n`);
  }
  await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut }));
  return commits.length > shown.length ? { commits: commits.slice(shown.length) } : null;
}

export async function answerPeople(
  turn: EmbeddedTurn,
  repository: Repository,
  { since }: HistoryQuestion,
): Promise<void> {
  const { commits, isWhole, isTimedOut } = await logTool(turn, repository, {
    query: { count: PEOPLE_COMMITS_MAX, since },
    title: "git log, who wrote it",
  });
  const people = peopleOf(commits);
  const lines = people
    .slice(0, PEOPLE_MAX)
    .map(
      (one) =>
        `- ${person(one.name)}: ${counted(one.commits, "commit")}, ${one.first === one.last ? one.first : `${one.first} to ${one.last}`}`,
    );
  if (people.length > PEOPLE_MAX) lines.push(`- … and ${counted(people.length - PEOPLE_MAX, "other")}`);
  const which = isWhole ? "" : " the newest";
  const count = counted(people.length, "author");
  await turn.write(`**${count} in${which} ${counted(commits.length, "commit")}:**\n\n${lines.join("\n")}\n\n`);
  await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut }));
}
