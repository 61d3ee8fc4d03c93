/** Ranks hits: rare words before common ones, definitions before mentions, many words before one. */
import { bits, type FileHits, type LineHit } from "./match-file.ts";
import type { SearchResult } from "./search-text.ts";
import { splitIdentifier, stem, type Term } from "./terms.ts";

export interface RankedHit {
  path: string;
  line: number;
  score: number;
  /** Indexes of the terms on or next to the line. */
  terms: readonly number[];
  /** The line defines a name that consists only of words of the question. */
  isDefinition: boolean;
  /** The line itself contains a whole word or name of the question. */
  isWhole: boolean;
}

export interface RankedFile {
  path: string;
  score: number;
  matches: number;
  /** Best first. */
  hits: readonly RankedHit[];
}

export interface SearchIntent {
  /** Whether definitions, uses or anything related is asked for. */
  looksFor: "definition" | "uses" | "anything";
  /** Tests rank lower unless the question is about tests. */
  aboutTests: boolean;
}

const KIND_WEIGHT = { phrase: 1.6, identifier: 1.5, word: 1, part: 0.3 };

export function rankFiles(
  result: SearchResult,
  paths: readonly string[],
  { terms, intent }: { terms: readonly Term[]; intent: SearchIntent },
): RankedFile[] {
  const weights = terms.map((term, index) => rarity(result, index) * KIND_WEIGHT[term.kind]);
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const withText = new Map(result.files.map((file) => [file.path, file]));
  const ranked: RankedFile[] = [];
  for (const path of paths) {
    const hits = withText.get(path);
    const name = nameScore(path, terms, weights);
    if (hits === undefined && name === 0) continue;
    ranked.push(rankFile({ path, hits, name, terms, weights, total, intent }));
  }
  return ranked.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

/** Inverse document frequency: rare words weigh more. */
function rarity(result: SearchResult, index: number): number {
  const inFiles = result.fileCounts[index] ?? 0;
  return Math.log(1 + (result.searched + 1) / (inFiles + 0.5));
}

function nameScore(path: string, terms: readonly Term[], weights: readonly number[]): number {
  const at = path.lastIndexOf("/") + 1;
  const baseName = path.slice(at);
  const base = splitIdentifier(baseName.replace(/\.[^.]*$/, ""));
  const above = splitIdentifier(path.slice(0, at));
  const has = (segments: readonly string[], term: Term) =>
    segments.some((segment) => segment === term.full || stem(segment) === term.needle);
  let score = 0;
  for (const [index, term] of terms.entries()) {
    const weight = weights[index] ?? 0;
    if (has(base, term) || baseName.toLowerCase() === term.full) score += weight / Math.sqrt(Math.max(1, base.length));
    else if (has(above, term)) score += weight * 0.3;
  }
  return score;
}

interface Ranking {
  path: string;
  hits: FileHits | undefined;
  name: number;
  terms: readonly Term[];
  weights: readonly number[];
  total: number;
  intent: SearchIntent;
}

function rankFile({ path, hits, name, terms, weights, total, intent }: Ranking): RankedFile {
  const counts = hits?.counts ?? [];
  const often = counts.reduce((sum, count, index) => sum + ((weights[index] ?? 0) * count) / (count + 2), 0);
  const covered = counts.reduce((sum, count, index) => sum + (count > 0 ? (weights[index] ?? 0) : 0), 0) / total;
  const prior = priorOf(path, intent);
  const whole = wholeTerms(terms);
  const identifiers = terms.reduce((mask, term, index) => (term.kind === "identifier" ? mask | (1 << index) : mask), 0);
  const rankedHits = (hits?.lines ?? [])
    .map((hit): RankedHit => {
      const own = lineScore(hit, weights, { total, intent, terms });
      return {
        path,
        line: hit.line,
        score: prior * (own + 0.5 * name + 0.25 * often),
        terms: terms.flatMap((_term, index) => ((hit.matched | hit.near) & (1 << index) ? [index] : [])),
        isDefinition: !hit.isHeading && isNamedBy(hit, whole),
        isWhole: (hit.matched & whole & ~identifiers) !== 0 || (hit.exact & identifiers) !== 0,
      };
    })
    .sort((a, b) => b.score - a.score || a.line - b.line);
  const best = rankedHits[0]?.score ?? 0;
  const score = prior * ((often + 1.2 * name) * (0.4 + 0.6 * covered)) + 0.6 * best;
  return { path, score, matches: counts.reduce((sum, count) => sum + count, 0), hits: rankedHits };
}

/** Mask of the terms that are not parts of others. */
function wholeTerms(terms: readonly Term[]): number {
  return terms.reduce((mask, term, index) => (term.kind === "part" ? mask : mask | (1 << index)), 0);
}

/** The defined name is a term or consists only of terms. */
function isNamedBy(hit: LineHit, whole: number): boolean {
  return (hit.named & whole) !== 0 || (hit.nameSegments > 0 && bits(hit.namedPart & whole) >= hit.nameSegments);
}

function lineScore(
  hit: LineHit,
  weights: readonly number[],
  { total, intent, terms }: { total: number; intent: SearchIntent; terms: readonly Term[] },
): number {
  const sum = (mask: number) => weights.reduce((so, weight, index) => (mask & (1 << index) ? so + weight : so), 0);
  const matchScore = 0.7 * sum(hit.matched) + 0.3 * sum(hit.exact) + 0.4 * sum(hit.near);
  const covered = sum(hit.matched | hit.near) / total;
  const segments = Math.max(1, hit.nameSegments);
  const fit = Math.min(1, (0.5 + bits(hit.namedPart)) / segments);
  const naming =
    (2 * sum(hit.named) + sum(hit.namedPart & ~hit.named) * fit) * (hit.isHeading ? 0.6 : hit.isLocal ? 0.3 : 1);
  const intentScore = {
    definition: naming * (hit.isHeading ? 0.3 : 2.5),
    uses: hit.isHeading ? 0 : -0.5 * sum(hit.named & wholeTerms(terms)),
    anything: naming,
  }[intent.looksFor];
  return (matchScore * (0.5 + 0.5 * covered) + intentScore) * (hit.isImport ? 0.35 : 1);
}

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|Cargo\.lock|poetry\.lock|go\.sum)$|\.min\.[cm]?js$|\.map$|\.snap$/;
const SET_ASIDE = /(?:^|\/)(?:vendor|third_party|dist|build|out|node_modules|fixtures?|testdata|traces)\//;
const TESTS = /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec|contract)\.[a-z]+$|(?:^|\/)test_[^/]+$/;
/** Usually generated: if both match, the source is meant. */
const RENDERED = /\.(?:html?|[1-8])$/;
const HISTORY = /(?:^|\/)(?:changelog|changes|history|news|authors|license)[^/]*$/i;

export function isTestPath(path: string): boolean {
  return TESTS.test(path);
}

/** Generated or third-party files. */
export function isSetAside(path: string): boolean {
  return GENERATED.test(path) || SET_ASIDE.test(path);
}

/** Weight by kind of file: sources before tests, documents and generated files. */
export function priorOf(path: string, intent: Pick<SearchIntent, "aboutTests">): number {
  if (GENERATED.test(path)) return 0.15;
  const aside = SET_ASIDE.test(path) ? 0.5 : 1;
  const history = HISTORY.test(path) ? 0.45 : 1;
  const test = TESTS.test(path) ? (intent.aboutTests ? 1.6 : 0.55) : 1;
  return aside * history * test * (RENDERED.test(path) ? 0.7 : 1);
}
