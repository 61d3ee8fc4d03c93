/** Answers a question that names commits: who made them, when, why, and what they changed. */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";
import { inlineCode } from "../../markdown.ts";
import { commitTool, patchTool } from "../git/tools.ts";
import type { HistoryQuestion } from "../history-question.ts";
import { bestExcerpt, type PatchFile } from "../git/patch.ts";
import type { Repository } from "../git/repository.ts";
import { bodyBlock, commitLine, diffBlock, filesLine } from "../write-commits.ts";
import { foot } from "../write-history.ts";

const EXCERPTS_MAX = 3;

export async function answerCommit(
  turn: EmbeddedTurn,
  repository: Repository,
  request: HistoryQuestion,
): Promise<void> {
  for (const id of request.commitIds) {
    const [commit] = await commitTool(turn, repository, [id]);
    if (commit === undefined) {
      await turn.write(`There is no commit ${inlineCode(id)} here, or its beginning fits several.\n\n`);
      continue;
    }
    const patch = await patchTool(turn, repository, { commit });
    const cut = patch.isCut ? "The change is longer than what I read of it.\n\n" : "";
    await turn.write(`**${commitLine(commit)}**\n\n${bodyBlock(commit)}${filesLine(patch.files)}${cut}`);
    for (const file of chooseFiles(patch.files)) {
      const excerpt = bestExcerpt([file], request.question.terms);
      if (excerpt !== null) await turn.write(diffBlock(excerpt));
    }
  }
  await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut: false }));
}

/** Where most of the change is. */
function chooseFiles(files: readonly PatchFile[]): PatchFile[] {
  return files.toSorted((a, b) => b.added + b.removed - a.added - a.removed).slice(0, EXCERPTS_MAX);
}
