/**
 * Finds signs of risk in one file. Heuristic, not a parser.
 * What looks like a secret is reported by location and never shown.
 */
import { formatCount, withEllipsis } from "../../../src/kit/text/format.ts";
import { isTestPath } from "../search/rank.ts";
import { printableLine } from "../../../src/agents/index.ts";

export type RiskKind = "secret" | "empty_catch" | "skipped_test" | "unsafe_call" | "check_off" | "todo" | "large_file";

export interface Risk {
  kind: RiskKind;
  path: string;
  line: number;
  /** The line to show; empty when it must not be shown. */
  shown: string;
}

export const RISK_LABELS: Readonly<Record<RiskKind, string>> = {
  secret: "looks like a secret (not shown)",
  empty_catch: "an error is caught and dropped",
  skipped_test: "a test that does not run, or keeps others from running",
  unsafe_call: "a call that needs care",
  check_off: "a check is switched off",
  todo: "left to do",
  large_file: "a very large file",
};

export const RISK_WEIGHT: Readonly<Record<RiskKind, number>> = {
  secret: 6,
  empty_catch: 3,
  skipped_test: 3,
  unsafe_call: 3,
  todo: 2,
  check_off: 1.5,
  large_file: 1,
};

export const LARGE_LINES = 800;
const RISKS_PER_FILE_MAX = 40;
const LINE_CHARS_MAX = 400;
const SHOWN_CHARS_MAX = 110;

const TOKENS =
  /\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bglpat-[\w-]{20,}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|\bxox[abprs]-[\w-]{20,}|\bAIza[\w-]{35}|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;
const ASSIGNED =
  /\b(?:\w*(?:password|passwd|secret|api_?key|access_?token|auth_?token|private_?key))["']?\s*[:=]\s*["'`]([^"'`\s]{8,})["'`]/i;
const PLACEHOLDER =
  /example|change|placeholder|dummy|sample|test|fake|your|xxx|<|\$\{|\{\{|process\.env|\*{3}|^[a-z]+(?:[-_. ][a-z]+)*$/i;

const COMMENT_MARK = /(?:^|\s)(?:\/\/|\/\*|\*|#|--|;|<!--|%)\s*[^"'`]*\b(?:TODO|FIXME|HACK|XXX)\b/;
const SKIPPED =
  /^\s*(?:it|test|describe|suite|context)\.(?:skip|only|todo|fails?)\s*[(.`]|^\s*[xf](?:it|describe|test)\s*\(|^\s*@(?:pytest\.mark\.skip\b|unittest\.skip\b|Ignore\b|Disabled\b)|\bt\.Skip(?:Now)?\(|#\[ignore\b/;
const UNSAFE =
  /(?<![\w.'"`/])eval\(|\bnew Function\(|\bshell:\s*true\b|\bshell=True\b|\.innerHTML\s*=[^=]|\bdangerouslySetInnerHTML\b|\brejectUnauthorized:\s*false\b|\bverify=False\b|\byaml\.load\((?![^)]*Loader)|\bpickle\.loads?\(|\bos\.system\(|\bexec(?:Sync)?\(\s*`[^`]*\$\{|\bunserialize\(/;
/** A suppression with a reason after a double dash is deliberate. */
const CHECK_OFF =
  /(?:\/\/|\/\*|#)\s*(?:@ts-(?:ignore|nocheck)|(?:eslint|oxlint|biome)-(?:disable|ignore)[\w-]*(?!.* -- )|type:\s*ignore|noqa|pylint:\s*disable|nolint)\b(?!.* -- )|^\s*@SuppressWarnings\b|^\s*#!?\[allow\(/;

const EMPTY_CATCHES = [
  /\bcatch\s{0,20}(?:\([^)\n]{0,80}\)\s{0,20})?\{\s{0,200}\}/g,
  /\.catch\(\s{0,20}(?:\(\s{0,5}\w{0,30}\s{0,5}\)|\w{1,30})\s{0,5}=>\s{0,5}\{\s{0,50}\}\s{0,20}\)/g,
  /^[ \t]*except\b[^:\n]{0,120}:[ \t]*\n?[ \t]{0,80}pass\b/gm,
  /\bif err != nil \{\s{0,50}\}/g,
  /^[ \t]*rescue\b[^\n]{0,80}\n[ \t]{0,80}end\b/gm,
];

const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|rs|go|java|kts?|swift|c|h|cc|cpp|hpp|cs|php|scala|sh|bash|vue|svelte|lua|pl|exs?|dart|zig|sql)$/i;

export function isCodePath(path: string): boolean {
  return CODE.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

export function findRisks(path: string, text: string): Risk[] {
  const risks: Risk[] = [];
  const isTest = isTestPath(path);
  const isCode = isCodePath(path);
  const lines = text.replace(/\n$/, "").split("\n");
  const add = (kind: RiskKind, line: number, shown: string) => {
    if (risks.length < RISKS_PER_FILE_MAX)
      risks.push({ kind, path, line, shown: kind === "secret" ? "" : masked(shown) });
  };
  for (const [index, whole] of lines.entries()) {
    const line = whole.slice(0, LINE_CHARS_MAX);
    if (hasSecret(line, isTest)) add("secret", index + 1, "");
    if (!isCode) continue;
    if (COMMENT_MARK.test(line)) add("todo", index + 1, line);
    if (isTest && SKIPPED.test(line)) add("skipped_test", index + 1, line);
    if (!isTest && UNSAFE.test(line)) add("unsafe_call", index + 1, line);
    if (!isTest && CHECK_OFF.test(line)) add("check_off", index + 1, line);
  }
  if (!isCode) return risks;
  for (const line of emptyCatches(text)) add("empty_catch", line, lines[line - 1] ?? "");
  if (lines.length > LARGE_LINES) add("large_file", 1, `${formatCount(lines.length)} lines`);
  return risks;
}

function hasSecret(line: string, isTest: boolean): boolean {
  if (TOKENS.test(line)) return true;
  const value = isTest ? undefined : ASSIGNED.exec(line)?.[1];
  return value !== undefined && /\d/.test(value) && /[A-Za-z]/.test(value) && !PLACEHOLDER.test(value);
}

function emptyCatches(text: string): number[] {
  const offsets = EMPTY_CATCHES.flatMap((rule) =>
    [...text.matchAll(rule)].map((match) => match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0)),
  );
  return [...new Set(offsets.sort((a, b) => a - b).map((at) => lineOf(text, at)))];
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line++;
  return line;
}

/** Truncated; empty when the line may contain a secret. */
function masked(line: string): string {
  if (hasSecret(line, false)) return "";
  return withEllipsis(printableLine(line.trim().replaceAll("\t", " ")), SHOWN_CHARS_MAX);
}
