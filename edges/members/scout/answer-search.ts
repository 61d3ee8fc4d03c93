/** Answers a question by searching: lists and searches files, reads the best hits, writes them down. */
import type { EmbeddedTurn, FileList } from "../../../src/agents/index.ts";
import { listFilesTool, readFileTool, readLinesTool, searchTextTool, type Workspace } from "../search/file-tools.ts";
import { cutExcerpt, type Excerpt } from "../search/excerpt.ts";
import { excerptBlock, inlineCode } from "../markdown.ts";
import { chooseHits, type Choice } from "../search/choose-hits.ts";
import { parseQuestion, type Question } from "../search/question.ts";
import { rankFiles } from "../search/rank.ts";
import { formatHitLines, whatWasSearched, writeFoot, writeHead, writeNothing, type Findings } from "./report.ts";
import type { SearchResult } from "../search/search-text.ts";
import type { Term } from "../search/terms.ts";
import { formatList } from "../../../src/kit/text/format.ts";

/** Left for "more". */
export interface Leftover {
  question: Question;
  choice: Choice;
}

export async function answerSearch(
  turn: EmbeddedTurn,
  workspace: Workspace,
  initial: Question,
): Promise<Leftover | undefined> {
  await turn.write(`Searching for ${shownTerms(initial.terms)}.\n\n`);
  const files = await listFilesTool(turn, workspace);
  const { question, result } = await searchWithSteers(turn, workspace, { question: initial, files });
  const { terms } = question;
  const intent = {
    looksFor: question.kind === "definition" || question.kind === "uses" ? question.kind : ("anything" as const),
    aboutTests: question.aboutTests,
  };
  const ranked = rankFiles(result, files.paths, { terms, intent });
  const findings: Findings = { question, files, result, ranked };
  if (ranked.length === 0) {
    await turn.write(writeNothing(findings));
    if (findings.files.paths.length > 0) await turn.smallPrint(whatWasSearched(findings));
    return undefined;
  }
  const choice = chooseHits(ranked, question.kind);
  const [excerpts, further] = await Promise.all([
    readExcerpts(turn, workspace, choice),
    readLinesTool(turn, workspace, choice.further),
  ]);
  await turn.write(writeHead(findings, choice));
  for (const excerpt of excerpts) await turn.write(excerptBlock(excerpt));
  await turn.write(formatHitLines(further) + writeFoot(findings));
  await turn.smallPrint(whatWasSearched(findings));
  return { question, choice };
}

export interface SteerableSearch {
  question: Question;
  files: FileList;
  /** Parses the question again with the added text. */
  parse?: (text: string) => Question;
}

/** A message during the search adds its words, and the search starts again. */
export async function searchWithSteers(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { question, files, parse = parseQuestion }: SteerableSearch,
): Promise<{ question: Question; result: SearchResult }> {
  let wider = question;
  for (;;) {
    const steers = turn.consumeSteers();
    if (steers.length > 0) {
      wider = parse([wider.text, ...steers].join("\n"));
      await turn.write(`Added to the search: ${shownTerms(newTerms(question, wider))}.\n\n`);
    }
    const result = await searchTextTool(turn, workspace, { paths: files.paths, terms: wider.terms });
    if (!turn.hasSteer()) return { question: { ...wider, kind: question.kind }, result };
  }
}

function newTerms(before: Question, after: Question): readonly Term[] {
  const known = new Set(before.terms.map((term) => term.needle));
  return after.terms.filter((term) => !known.has(term.needle));
}

export async function readExcerpts(turn: EmbeddedTurn, workspace: Workspace, choice: Choice): Promise<Excerpt[]> {
  const byFile = Map.groupBy(choice.shown, (hit) => hit.path);
  const read = await Promise.all(
    [...byFile].map(async ([path, hits]) => {
      const cut = (text: string) => {
        const excerpts = withoutOverlap(hits.map((hit) => cutExcerpt(path, text, hit.line)));
        return { excerpts, shown: excerpts.map((one) => one.lines.join("\n")).join("\n…\n") };
      };
      try {
        return (await readFileTool(turn, workspace, { path, cut })).excerpts;
      } catch {
        // Deleted since the search; the tool call says so, and the other hits remain.
        turn.signal.throwIfAborted();
        return [];
      }
    }),
  );
  return read.flat();
}

function withoutOverlap(excerpts: readonly Excerpt[]): Excerpt[] {
  return excerpts.filter(
    (one, index) =>
      !excerpts.slice(0, index).some((other) => one.firstLine <= other.lastLine && other.firstLine <= one.lastLine),
  );
}

export function shownTerms(terms: readonly Term[]): string {
  const whole = terms.filter((term) => term.kind !== "part");
  return formatList((whole.length > 0 ? whole : terms).map((term) => inlineCode(term.shown))) || "nothing new";
}
