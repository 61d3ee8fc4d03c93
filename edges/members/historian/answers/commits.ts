/** Answers questions about commits: what changed lately, who works here, and what a commit did. */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";
import { counted, inlineCode } from "../../markdown.ts";
import type { QuestionKind } from "../../search/question.ts";
import { logTool, patchTool, commitTool } from "../git/tools.ts";
import type { HistoryQuestion } from "../history-question.ts";
import { peopleOf } from "../rank-commits.ts";
import type { Repository } from "../git/repository.ts";
import {
  bodyBlock,
  commitId,
  commitLine,
  diffBlock,
  filesLine,
  peopleLine,
  person,
  subjectOf,
} from "../write-commits.ts";
import { foot, type LeftCommits } from "../write-history.ts";
import { bestExcerpt, type PatchFile } from "../git/patch.ts";

const RECENT_MAX = 10;
/** Few, since other members describe the project as a whole. */
const SHOWN_MAX: Partial<Record<QuestionKind, number>> = { overview: 5, start: 1 };
const READ_MAX = 200;
/** In larger repositories only the newest commits count. */
const PEOPLE_COMMITS_MAX = 5_000;
const PEOPLE_MAX = 15;

export async function answerRecent(
  turn: EmbeddedTurn,
  repository: Repository,
  { request, author = "" }: { request: HistoryQuestion; author?: string },
): Promise<LeftCommits | undefined> {
  const { since, count } = request;
  const query = { count: count ?? READ_MAX, since, author };
  const { commits, isWhole, isTimedOut } = await logTool(turn, repository, {
    query,
    title: "git log for the newest commits",
  });
  const by = author === "" ? "" : ` by ${person(author)}`;
  const [newest] = commits;
  if (newest === undefined) {
    await turn.write(`**No commits${by}${since === undefined ? "" : " in that time"}.**\n\n`);
    await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut }));
    return undefined;
  }
  const shown = commits.slice(0, count ?? SHOWN_MAX[request.question.kind] ?? RECENT_MAX);
  const patch = await patchTool(turn, repository, { commit: newest });
  const total =
    isWhole || count !== undefined
      ? counted(commits.length, "commit")
      : `more than ${counted(commits.length - 1, "commit")}`;
  await turn.write(
    `**The newest commit${by} is ${commitId(newest)}** from ${newest.date}${by === "" ? ` by ${person(newest.author)}` : ""}: ${subjectOf(newest)}\n\n${bodyBlock(newest)}${filesLine(patch.files)}`,
  );
  if (shown.length > 1) {
    await turn.write(
      `${total[0]?.toUpperCase()}${total.slice(1)}${since === undefined ? "" : " in that time"}, by ${peopleLine(commits)}. The newest:\n\n`,
    );
    await turn.write(`${shown.map((commit) => `- ${commitLine(commit)}`).join("\n")}\n\n`);
  }
  await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut }));
  return commits.length > shown.length ? { commits: commits.slice(shown.length) } : undefined;
}

export async function answerPeople(
  turn: EmbeddedTurn,
  repository: Repository,
  { since }: HistoryQuestion,
): Promise<void> {
  const { commits, isWhole, isTimedOut } = await logTool(turn, repository, {
    query: { count: PEOPLE_COMMITS_MAX, since },
    title: "git log for authors",
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

const EXCERPTS_MAX = 3;

/** A question that names commits: who made them, when, why, and what they changed. */
export async function answerCommit(
  turn: EmbeddedTurn,
  repository: Repository,
  request: HistoryQuestion,
): Promise<void> {
  for (const id of request.commitIds) {
    const [commit] = await commitTool(turn, repository, [id]);
    if (commit === undefined) {
      await turn.write(`There is no commit ${inlineCode(id)} here, or the abbreviation is ambiguous.\n\n`);
      continue;
    }
    const patch = await patchTool(turn, repository, { commit });
    const cut = patch.isCut ? "Only the beginning of this change was read.\n\n" : "";
    await turn.write(`**${commitLine(commit)}**\n\n${bodyBlock(commit)}${filesLine(patch.files)}${cut}`);
    for (const file of chooseFiles(patch.files)) {
      const excerpt = bestExcerpt([file], request.question.terms);
      if (excerpt !== undefined) await turn.write(diffBlock(excerpt));
    }
  }
  await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut: false }));
}

/** The files with the largest changes. */
function chooseFiles(files: readonly PatchFile[]): PatchFile[] {
  return files.toSorted((a, b) => b.added + b.removed - a.added - a.removed).slice(0, EXCERPTS_MAX);
}
