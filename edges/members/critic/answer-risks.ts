/** In the first round: looks for risks and missing tests around the words of the question. */
import type { EmbeddedTurn } from "../../../src/agents/index.ts";
import { resolvePaths } from "../scout/answer-file.ts";
import { searchWithSteers } from "../scout/answer-search.ts";
import { definitionOf } from "../search/definition.ts";
import { listFilesTool, type Workspace } from "../search/file-tools.ts";
import type { Question } from "../search/question.ts";
import { isSetAside, isTestPath, rankFiles, type RankedFile } from "../search/rank.ts";
import { parseAboutRisks, type CriticQuestion } from "./critic-question.ts";
import { isCodePath, RISK_WEIGHT, type Risk } from "./risk-rules.ts";
import { scanRisksTool, findTestsTool } from "./risk-tools.ts";
import { isTestable, stemOf, subjectOfTest, type Subject } from "./test-coverage.ts";
import { writeRisks, type LeftRisks } from "./write-risks.ts";

const FOCUS_FILES_MAX = 8;
const NAMED_FILES_MAX = 200;
/** A file this much weaker than the best is not meant. */
const FOCUS_SHARE = 0.35;
/** Lines further away are less related. */
const NEAR_LINES = 60;
const FAR_SHARE = 0.4;
const NAMES_PER_FILE_MAX = 3;

export async function answerRisks(
  turn: EmbeddedTurn,
  workspace: Workspace,
  request: CriticQuestion,
): Promise<LeftRisks | undefined> {
  const files = await listFilesTool(turn, workspace);
  if (request.kind === "project") return reviewProject(turn, workspace, files.paths);
  const { question, result } = await searchWithSteers(turn, workspace, {
    question: request.question,
    files,
    parse: parseAboutRisks,
  });
  const intent = { looksFor: "anything" as const, aboutTests: false };
  const ranked = rankFiles(result, files.paths, { terms: question.terms, intent });
  const named = namedFiles(question, files.paths);
  const focus = chooseFocus(ranked, named);
  const scan = await scanRisksTool(turn, workspace, withTheirTests(focus, files.paths));
  const subjects = await Promise.all(
    focus.filter((file) => isTestable(file.path)).map((file) => subjectOf(workspace, file)),
  );
  const coverage = await findTestsTool(turn, workspace, { subjects, paths: files.paths });
  const risks = weighRisks(scan.risks, focus);
  return writeRisks(turn, { question, risks, scan, coverage, files: files.paths.length });
}

async function reviewProject(
  turn: EmbeddedTurn,
  workspace: Workspace,
  paths: readonly string[],
): Promise<LeftRisks | undefined> {
  const sources = paths.filter((path) => isCodePath(path) && !isSetAside(path));
  const scan = await scanRisksTool(turn, workspace, sources);
  const subjects = sources.filter(isTestable).map((path): Subject => ({ path, names: [] }));
  const coverage = await findTestsTool(turn, workspace, { subjects, paths });
  const risks = weighRisks(scan.risks, []);
  return writeRisks(turn, { question: undefined, risks, scan, coverage, files: paths.length });
}

/** Files that the question names, and files in directories it names. */
function namedFiles(question: Question, paths: readonly string[]): string[] {
  const below = question.paths.flatMap((name) => {
    const directory = `${name.replace(/\/$/, "")}/`;
    return paths.filter((path) => path.startsWith(directory) && isCodePath(path));
  });
  return [...new Set([...resolvePaths(question.paths, paths), ...below])];
}

/** The named files; otherwise those that contain its words. */
function chooseFocus(ranked: readonly RankedFile[], named: readonly string[]): RankedFile[] {
  const byPath = new Map(ranked.map((file) => [file.path, file]));
  if (named.length > 0)
    return named.slice(0, NAMED_FILES_MAX).map((path) => byPath.get(path) ?? { path, score: 0, matches: 0, hits: [] });
  const code = ranked.filter((file) => isCodePath(file.path) && !isSetAside(file.path));
  const best = Math.max(0, ...code.map((file) => file.score));
  return code.filter((file) => file.score >= best * FOCUS_SHARE).slice(0, FOCUS_FILES_MAX);
}

/** A skipped test is a risk of what it would test, even if it contains few of the words. */
function withTheirTests(focus: readonly RankedFile[], paths: readonly string[]): string[] {
  const chosen = focus.map((file) => file.path);
  const stems = new Set(chosen.map((path) => stemOf(path).toLowerCase()));
  const tests = paths.filter((path) => isTestPath(path) && isCodePath(path) && stems.has(subjectOfTest(path)));
  return [...new Set([...chosen, ...tests])];
}

/** The file, and the names in it that the question asks about. */
async function subjectOf(workspace: Workspace, { path, hits }: RankedFile): Promise<Subject> {
  const defined = hits.filter((hit) => hit.isDefinition).slice(0, NAMES_PER_FILE_MAX);
  if (defined.length === 0) return { path, names: [] };
  const file = await workspace.reader.read(path);
  const lines = file.kind === "text" ? file.text.split("\n") : [];
  const names = defined.flatMap(({ line }) => {
    const definition = definitionOf(lines[line - 1] ?? "", path);
    return definition === undefined || isPrivate(lines[line - 1] ?? "", path) ? [] : [{ name: definition.name, line }];
  });
  return { path, names };
}

/** Nested, type-only and unexported definitions are tested indirectly. */
function isPrivate(text: string, path: string): boolean {
  if (/^\s/.test(text) || /\b(?:interface|type)\s/.test(text)) return true;
  return /\.[cm]?[jt]sx?$/.test(path) && !/\bexports?\b/.test(text);
}

function weighRisks(risks: readonly Risk[], focus: readonly RankedFile[]): Risk[] {
  const hitsByPath = new Map(focus.map((file) => [file.path, file.hits]));
  const weight = (risk: Risk) => {
    const near = hitsByPath.get(risk.path)?.some((hit) => Math.abs(hit.line - risk.line) <= NEAR_LINES) ?? false;
    const isLocated = risk.kind !== "large_file" && risk.kind !== "skipped_test";
    const isFar = focus.length > 0 && !near && isLocated;
    return (
      RISK_WEIGHT[risk.kind] *
      (isFar ? FAR_SHARE : 1) *
      (isTestPath(risk.path) && risk.kind !== "skipped_test" ? 0.5 : 1)
    );
  };
  return risks.toSorted(
    (a, b) => weight(b) - weight(a) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
  );
}
