/** Text around the hits: the short answer, what was searched, what was not found. Pure. */
import { type FileList, FILES_MAX } from "../../../src/agents/index.ts";
import { counted, inlineCode, reference } from "../markdown.ts";
import type { Choice } from "../search/choose-hits.ts";
import { QUESTION_CHARS_MAX, type Question } from "../search/question.ts";
import type { RankedHit, RankedFile } from "../search/rank.ts";
import type { SearchResult } from "../search/search-text.ts";
import { formatList, formatCount, plural, withEllipsis } from "../../../src/kit/text/format.ts";

export interface Findings {
  question: Question;
  files: FileList;
  result: SearchResult;
  ranked: readonly RankedFile[];
}

const LINE_CHARS_MAX = 100;
const FILES_NAMED_MAX = 12;
/** A file this much weaker than the best is not about the question. */
const FILE_SHARE = 0.3;

export function writeHead(findings: Findings, choice: Choice): string {
  const { question } = findings;
  if (question.kind === "files") return writeFiles(findings);
  const best = choice.shown[0];
  if (best === undefined) return writeNamesOnly(findings);
  const subject = formatList(subjects(question, best));
  const at = reference(best.path, best.line);
  if (question.kind === "definition" && best.isDefinition) {
    const others = choice.shown.length - 1;
    const also = others > 0 ? ` ${counted(others, "other place")} may also match.` : "";
    return `**${subject} is defined in ${at}.**${also}\n\n`;
  }
  if (question.kind === "definition") return `**I found no definition of ${subject}.** The closest match is ${at}.\n\n`;
  if (question.kind === "uses") {
    const all = [...choice.shown, ...choice.further, ...choice.left];
    const count = new Set(all.map((hit) => hit.path)).size;
    return `**${subject} is used in ${counted(count, "file")}**, starting with ${at}.\n\n`;
  }
  return `**Best match${covers(question, best)}: ${at}**\n\n`;
}

/** The terms of the hit; for a requested name, the name. */
function subjects(question: Question, best: RankedHit): string[] {
  const whole = question.terms.filter((term) => term.kind !== "part");
  const identifiers = whole.filter((term) => term.kind === "identifier" || term.kind === "phrase");
  const chosen = identifiers.length > 0 ? identifiers : whole;
  const present = chosen.filter((term) => best.terms.includes(question.terms.indexOf(term)));
  return (present.length > 0 ? present : chosen).map((term) => inlineCode(term.shown));
}

function covers(question: Question, best: RankedHit): string {
  const whole = question.terms.filter((term) => term.kind !== "part");
  if (whole.length < 2) return "";
  const there = whole.filter((term) => best.terms.includes(question.terms.indexOf(term)));
  const weak = there.length * 2 < whole.length ? "weak, " : "";
  return ` (${weak}${there.length} of ${whole.length} words)`;
}

function writeFiles({ ranked, question }: Findings): string {
  const best = ranked[0]?.score ?? 0;
  const good = ranked.filter((file) => file.score >= best * FILE_SHARE);
  const shown = good.slice(0, FILES_NAMED_MAX);
  const lines = shown.map((file) => {
    const first = file.hits[0];
    const where =
      first === undefined ? "matches by name" : `${counted(file.matches, "match")}, best at line ${first.line}`;
    return `- ${reference(file.path)}: ${where}`;
  });
  const about = formatList(question.terms.filter((term) => term.kind !== "part").map((term) => inlineCode(term.shown)));
  const left = good.length - shown.length;
  const more = left > 0 ? `\n- … and ${counted(left, "weaker match")}` : "";
  return `**${counted(good.length, "file")} about ${about}**, best first:\n\n${lines.join("\n")}${more}\n\n`;
}

function writeNamesOnly({ ranked }: Findings): string {
  const named = ranked.slice(0, FILES_NAMED_MAX).map((file) => `- ${reference(file.path)}`);
  return `**No line contains these words, but ${named.length === 1 ? "a file name does" : "file names do"}:**\n\n${named.join("\n")}\n\n`;
}

/** One line per hit, with its text. */
export function formatHitLines(hitLines: readonly HitLine[]): string {
  if (hitLines.length === 0) return "";
  const lines = hitLines.map(({ hit, text }) => {
    const trimmed = text.trim();
    return `- ${reference(hit.path, hit.line)}${trimmed === "" ? "" : ` ${inlineCode(cutShort(trimmed))}`}`;
  });
  return `Also:\n\n${lines.join("\n")}\n\n`;
}

export interface HitLine {
  hit: RankedHit;
  text: string;
}

function cutShort(text: string): string {
  return withEllipsis(text, LINE_CHARS_MAX);
}

export function writeFoot(findings: Findings): string {
  const { question, result } = findings;
  const missing = question.terms.filter((term, index) => term.kind !== "part" && result.fileCounts[index] === 0);
  const notFound =
    missing.length === 0 ? "" : `Not found anywhere: ${formatList(missing.map((term) => inlineCode(term.shown)))}.\n\n`;
  return notFound;
}

export function writeNothing(findings: Findings): string {
  const { question, files } = findings;
  if (files.paths.length === 0) {
    return "**Nothing found: there are no files here.** Open the session in the directory you want to ask about.\n";
  }
  const searched = formatList(question.terms.map((term) => inlineCode(term.shown)));
  return [
    `**Nothing found for ${searched}.**`,
    "",
    "- Use a word that appears in the files, such as a function name, an error message or a file name.",
    "- Try a shorter word: it also matches the start of longer ones.",
    "- Ask *what is this project* for an overview.",
    "",
    "",
  ].join("\n");
}

/** One sentence about what was searched, no more certain than the search was. */
export function whatWasSearched({ question, files, result }: Findings): string {
  const skipped = [
    [result.binary, "binary"],
    [result.huge, "larger than 1 MiB"],
    [result.unreadable, "unreadable"],
  ].flatMap(([count, why]) => (count === 0 ? [] : [`${count} ${why}`]));
  const parts = [
    `Searched ${counted(result.searched, "file")} (${megabytes(result.bytes)})`,
    skipped.length > 0 ? `skipped ${formatList(skipped)}` : "",
    files.isCut ? `not every file was listed (limit: ${formatCount(FILES_MAX)})` : "",
    files.unreadableDirectories > 0
      ? `${plural(files.unreadableDirectories, "directory", "directories")} could not be opened`
      : "",
    result.notReached > 0 ? `${formatCount(result.notReached)} not reached in time` : "",
    question.isCut ? `only the first ${QUESTION_CHARS_MAX} characters of the question were read` : "",
    question.leftOut > 0 ? `${counted(question.leftOut, "word")} of the question ignored` : "",
  ].filter((part) => part !== "");
  return parts.join("; ");
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
