/** Formats the risks of the first round, most severe first, with their locations. */
import type { EmbeddedTurn } from "../../../src/agents/index.ts";
import { counted, inlineCode, reference } from "../markdown.ts";
import type { Question } from "../search/question.ts";
import { LARGE_LINES, RISK_LABELS, type Risk } from "./risk-rules.ts";
import type { Untested, Coverage } from "./test-coverage.ts";
import type { RiskScan } from "./risk-tools.ts";
import { formatList, formatCount } from "../../../src/kit/text/format.ts";

/** What is left for "more". */
export interface LeftRisks {
  risks: readonly Risk[];
}

export const NOTHING_TO_ADD = "Nothing to add.";
export const RISKS_SHOWN_MAX = 10;
const UNTESTED_MAX = 8;

export async function writeRisks(turn: EmbeddedTurn, findings: RiskFindings): Promise<LeftRisks | undefined> {
  const { risks, coverage } = findings;
  if (risks.length === 0 && coverage.untested.length === 0) {
    await turn.write(`${NOTHING_TO_ADD} ${formatNoRisks(findings)}\n\n`);
    await turn.smallPrint(foot(findings));
    return undefined;
  }
  await turn.write(headline(findings));
  await turn.write(writeUntested(findings));
  const shown = risks.slice(0, RISKS_SHOWN_MAX);
  await turn.write(riskList(shown, risks.length));
  await turn.smallPrint(foot(findings));
  return risks.length > shown.length ? { risks: risks.slice(shown.length) } : undefined;
}

function headline({ risks, coverage, question }: RiskFindings): string {
  const scope = question === undefined ? "in this project" : `around ${subjects(question)}`;
  const untested = coverage.untested.length;
  const parts = [
    untested === 0 ? "" : `${counted(untested, "file")} with code that no test mentions`,
    risks.length === 0 ? "" : `${counted(risks.length, "sign")} of risk`,
  ].filter((part) => part !== "");
  return `**${capital(formatList(parts))} ${scope}.**\n\n`;
}

function writeUntested({ coverage, scan: { lineCounts } }: RiskFindings): string {
  if (coverage.untested.length === 0) return "";
  if (coverage.tests === 0) return "There are no tests here at all.\n\n";
  const longest = coverage.untested.toSorted((a, b) => (lineCounts.get(b.path) ?? 0) - (lineCounts.get(a.path) ?? 0));
  const lines = longest.slice(0, UNTESTED_MAX).map((one) => `- ${untestedLine(one, lineCounts.get(one.path))}`);
  const left = coverage.untested.length - lines.length;
  if (left > 0) lines.push(`- … and ${counted(left, "other file")}`);
  return `Missing tests:\n\n${lines.join("\n")}\n\n`;
}

export function untestedLine({ path, names, isWholeFile }: Untested, lineCount?: number): string {
  const size = lineCount === undefined ? "" : ` (${counted(lineCount, "line")})`;
  if (isWholeFile)
    return `${reference(path)}${size}: no test file next to it, and no test mentions it or a file that uses it`;
  const shown = names.map(({ name, line }) => `${inlineCode(name)} (${reference(path, line)})`);
  return `${formatList(shown)}: no test mentions ${names.length === 1 ? "it" : "them"}`;
}

/** One line per location; the same sign in the same file is listed once. */
export function riskList(risks: readonly Risk[], total: number): string {
  if (risks.length === 0) return "";
  const lines = risks.map((risk) => {
    const detail = risk.shown === "" ? "" : `: ${inlineCode(risk.shown)}`;
    const what =
      risk.kind === "large_file" ? `${RISK_LABELS.large_file}, more than ${LARGE_LINES} lines` : RISK_LABELS[risk.kind];
    return `- ${reference(risk.path, risk.line)} ${what}${detail}`;
  });
  const left = total - risks.length;
  if (left > 0) lines.push(`- … and ${counted(left, "more sign")} (ask *more*)`);
  return `Signs of risk, most severe first:\n\n${lines.join("\n")}\n\n`;
}

function formatNoRisks({ question, scan }: RiskFindings): string {
  if (scan.read === 0)
    return question === undefined
      ? "There are no source files here."
      : `No source file contains ${subjects(question)}.`;
  return "I found none of the signs I look for: no missing test, swallowed error, skipped test, TODO or possible secret.";
}

function foot({ scan, coverage, question, files }: RiskFindings): string {
  const parts = [
    `Checked ${formatCount(scan.read)} of ${counted(files, "file")}`,
    coverage.tests > 0 ? `compared with ${counted(coverage.tests, "test file")} by name; no tests were run` : "",
    coverage.isWhole ? "" : "time ran out before every test was read, so no test is reported as missing",
    scan.notReached > 0 ? `${formatCount(scan.notReached)} not reached in time` : "",
    question !== undefined && question.leftOut > 0
      ? `${counted(question.leftOut, "word")} of the question ignored`
      : "",
  ].filter((part) => part !== "");
  return parts.join("; ");
}

function subjects({ terms, paths }: Question): string {
  const whole = terms.filter((term) => term.kind !== "part").map((term) => term.shown);
  const shown = whole.length > 0 ? whole : paths.length > 0 ? paths : terms.map((term) => term.shown);
  return formatList(shown.map(inlineCode));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Risks and coverage around a question. */
interface RiskFindings {
  /** Undefined when the whole project was reviewed. */
  question: Question | undefined;
  /** Most severe first. */
  risks: readonly Risk[];
  scan: RiskScan;
  coverage: Coverage;
  files: number;
}
