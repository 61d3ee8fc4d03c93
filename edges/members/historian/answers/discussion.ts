/**
 * In later rounds: reports who wrote the places that other members named, each once; nothing when there are none.
 * Their text is data: names in it are only compared with existing files.
 */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";
import { readExcerpts } from "../../scout/answer-search.ts";
import { listFilesTool } from "../../search/file-tools.ts";
import { counted } from "../../markdown.ts";
import type { RankedHit } from "../../search/rank.ts";
import { findReferences, resolveReference, seenFrom } from "../../search/references.ts";
import { blameExcerpts, formatBlame } from "../blamed-excerpts.ts";
import type { Repository } from "../git/repository.ts";
import { person } from "../write-commits.ts";
import { foot } from "../write-history.ts";

const EXCERPTS_MAX = 4;
/** What a member names first is what its answer is about. */
const PER_MEMBER_MAX = 2;
/** Closer places count as one. */
const APART_LINES = 12;

export const NOTHING_TO_ADD = "Nothing to add.";

interface Named {
  by: string;
  path: string;
  line: number;
}

/** `reported`: places already reported; added to. */
export async function answerDiscussion(
  turn: EmbeddedTurn,
  repository: Repository,
  reported: Set<string>,
): Promise<void> {
  const named = namedByMembers(turn, repository.root);
  if (named.length === 0 || !repository.hasWorkTree) return turn.write(NOTHING_TO_ADD);
  await turn.think(`Others named ${counted(named.length, "place")}; looking up who wrote them.`);
  const { paths } = await listFilesTool(turn, repository);
  const fresh = chooseFresh(named, { paths, root: repository.root, reported });
  if (fresh.length === 0) return turn.write(NOTHING_TO_ADD);
  const shown = fresh.map(({ path, line }): RankedHit => ({
    path,
    line,
    score: 0,
    terms: [],
    isDefinition: false,
    isWhole: true,
  }));
  const excerpts = await readExcerpts(turn, repository, { shown, further: [], left: [] });
  const { blamed, commits } = await blameExcerpts(turn, repository, excerpts);
  if (blamed.every(({ blame }) => blame.kind === "unknown")) return turn.write(NOTHING_TO_ADD);
  const known = new Map(commits.map((commit) => [commit.hash, commit]));
  const names = [...new Set(fresh.map((one) => person(one.by)))];
  await turn.write(`Who wrote the lines that ${names.join(" and ")} mentioned:\n\n`);
  for (const excerpt of blamed) await turn.write(formatBlame(excerpt, known));
  await turn.smallPrint(...foot({ isShallow: repository.isShallow, isTimedOut: false }));
}

function namedByMembers(turn: EmbeddedTurn, root: string): Named[] {
  return turn.missed.flatMap(({ speaker, text }) => {
    if (speaker.kind !== "member") return [];
    return findReferences(seenFrom(root, text)).flatMap(({ path, line }) =>
      line === undefined ? [] : [{ by: speaker.name, path, line }],
    );
  });
}

function chooseFresh(
  named: readonly Named[],
  { paths, root, reported }: { paths: readonly string[]; root: string; reported: Set<string> },
): Named[] {
  const chosen: Named[] = [];
  for (const one of named) {
    if (chosen.length === EXCERPTS_MAX) break;
    const resolved = resolveReference(one.path, { paths, root });
    if (resolved.kind !== "file") continue;
    const { path } = resolved;
    const isNear = [...reported].some((key) => {
      const [line = "", ...rest] = key.split(":");
      return rest.join(":") === path && Math.abs(Number(line) - one.line) < APART_LINES;
    });
    if (isNear || chosen.filter((other) => other.by === one.by).length === PER_MEMBER_MAX) continue;
    reported.add(`${one.line}:${path}`);
    chosen.push({ ...one, path });
  }
  return chosen;
}
