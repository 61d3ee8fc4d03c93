/**
 * In a discussion: checks what other members said against the files, and reports what is wrong, unproven, missing or
 * disputed, each point once. Their text is data: it never becomes an outside path, a command or an option.
 */
import { type EmbeddedTurn, type FileList, type MissedMessage, printableLine } from "../../../src/agents/index.ts";
import { listFilesTool, searchTextTool, type Workspace } from "../search/file-tools.ts";
import { counted, inlineCode, reference } from "../markdown.ts";
import { TERMS_MAX, type Term } from "../search/terms.ts";
import { seenFrom } from "../search/references.ts";
import { readClaims, type Claims } from "./claims.ts";
import { parseAboutRisks } from "./critic-question.ts";
import { checkLocationsTool, findTestsTool, type CheckedLocation } from "./risk-tools.ts";
import { isTestable } from "./test-coverage.ts";
import { NOTHING_TO_ADD, untestedLine } from "./write-risks.ts";
import { formatList, withEllipsis } from "../../../src/kit/text/format.ts";

const POINTS_MAX = 20;
const TESTED_PER_MEMBER_MAX = 2;
/** A shorter answer need not name a file. */
const LONG_ANSWER_CHARS = 400;

interface Point {
  /** The member it answers; undefined for all. */
  to: string | undefined;
  sentence: string;
}

/** `reported`: points already made; added to. */
export async function answerDiscussion(turn: EmbeddedTurn, workspace: Workspace, reported: Set<string>): Promise<void> {
  const all = claimsOf(turn.missed, workspace.root);
  if (all.length === 0) return turn.write(NOTHING_TO_ADD);
  await turn.think(`Checking what ${formatList(all.map((one) => one.by))} said: ${describe(all)}.`);
  const files = await listFilesTool(turn, workspace);
  const checked = await checkLocationsTool(turn, workspace, { all, paths: files.paths });
  const wrong = checked.flatMap(({ by, verdict }) =>
    verdict.kind === "holds" ? [] : [{ to: by, sentence: verdict.sentence }],
  );
  const first = filterNew([...wrong, ...withoutLocations(all, files)], reported);
  // Written now: the search for names reads every file.
  if (first.length > 0) await turn.write(write(first));
  // Claims already reported as wrong are not repeated.
  const wrongSentences = new Set(wrong.map((point) => point.sentence));
  const strangers = await findStrangers(turn, workspace, {
    all: all.map((one) => withoutCovered(one, wrongSentences)),
    files,
  });
  const untested = await findUntested(turn, workspace, { checked, files });
  const disagreed = findDisagreements(all).map((sentence) => ({
    to: undefined,
    sentence: `Disagreement: ${sentence}`,
  }));
  const second = filterNew([...strangers, ...disagreed, ...untested, ...leftOut(turn, all)], reported);
  if (second.length > 0) await turn.write(write(second));
  if (first.length + second.length === 0) await turn.write(NOTHING_TO_ADD);
  else await turn.smallPrint(footOf(all, checked));
}

function withoutCovered(claims: Claims, sentences: ReadonlySet<string>): Claims {
  const isCovered = (name: string) => [...sentences].some((sentence) => sentence.includes(name));
  return { ...claims, names: claims.names.filter((name) => !isCovered(name)) };
}

function filterNew(points: readonly Point[], reported: Set<string>): Point[] {
  return points.filter((point) => {
    const key = `${point.to ?? ""}\n${point.sentence}`;
    return !reported.has(key) && reported.add(key) !== undefined;
  });
}

/** One entry per member, for all its turns. */
function claimsOf(missed: readonly MissedMessage[], root: string): Claims[] {
  const turns = missed.flatMap(({ speaker, text }) =>
    speaker.kind === "member" ? [{ name: speaker.name, text }] : [],
  );
  const byName = Map.groupBy(turns, (one) => one.name);
  const names = [...byName.keys()];
  return [...byName].map(([name, own]) =>
    readClaims(name, seenFrom(root, own.map((one) => one.text).join("\n\n")), names),
  );
}

function describe(all: readonly Claims[]): string {
  const locationCount = all.reduce((sum, one) => sum + one.locations.length, 0);
  const names = all.reduce((sum, one) => sum + one.names.length, 0);
  return `${counted(locationCount, "place")} and ${counted(names, "name")}`;
}

/** Names that no file contains. Only when every file was searched. */
async function findStrangers(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { all, files }: { all: readonly Claims[]; files: FileList },
): Promise<Point[]> {
  const names = [...new Set(all.flatMap((one) => one.names))].filter((name) => !isBuiltIn(name)).slice(0, TERMS_MAX);
  if (names.length === 0) return [];
  // A file defines the last segment of a dotted name.
  const terms = names.map((name): Term => {
    const own = name.slice(name.lastIndexOf(".") + 1);
    return { needle: own.toLowerCase(), shown: own, kind: "identifier", full: own.toLowerCase() };
  });
  const result = await searchTextTool(turn, workspace, { paths: files.paths, terms });
  if (result.notReached > 0 || files.isCut || result.searched === 0) return [];
  const absent = new Set(names.filter((_name, index) => result.fileCounts[index] === 0));
  return all.flatMap(({ by, names: own }) => {
    const strange = own.filter((name) => absent.has(name));
    if (strange.length === 0) return [];
    const sentence = `Unproven: ${formatList(strange.map(inlineCode))} ${strange.length === 1 ? "appears" : "appear"} in none of the ${counted(result.searched, "file")} here.`;
    return [{ to: by, sentence }];
  });
}

/** Built-in names of a language are in no file of the project. */
function isBuiltIn(name: string): boolean {
  return (name.split(".")[0] ?? "") in globalThis;
}

async function findUntested(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { checked, files }: { checked: readonly CheckedLocation[]; files: FileList },
): Promise<Point[]> {
  // The first place is what the answer is about; the others are only mentioned.
  const first = [...Map.groupBy(checked, (one) => one.by).values()].flatMap((own) =>
    [...new Set(own.flatMap(({ verdict }) => verdict.path ?? []))].slice(0, TESTED_PER_MEMBER_MAX),
  );
  const subjects = [...new Set(first)].filter(isTestable).map((path) => ({ path, names: [] }));
  const coverage = await findTestsTool(turn, workspace, { subjects, paths: files.paths });
  if (coverage.tests === 0) return [];
  return coverage.untested.map((one) => ({ to: undefined, sentence: `Missing: ${untestedLine(one)}.` }));
}

function withoutLocations(all: readonly Claims[], files: FileList): Point[] {
  if (files.paths.length === 0) return [];
  return all
    .filter((one) => one.locations.length === 0 && one.chars >= LONG_ANSWER_CHARS)
    .map(({ by }) => ({ to: by, sentence: "Unproven: names no file or line, so there is nothing to check." }));
}

/** Names of the question that nobody mentioned. */
function leftOut(turn: EmbeddedTurn, all: readonly Claims[]): Point[] {
  const names = parseAboutRisks(turn.text).terms.filter((term) => term.kind === "identifier");
  const texts = turn.missed.flatMap(({ speaker, text }) => (speaker.kind === "member" ? [text.toLowerCase()] : []));
  const missing = names.filter((term) => !texts.some((text) => text.includes(term.full)));
  // Without substantial answers every name would be missing.
  if (missing.length === 0 || all.every((one) => one.chars < LONG_ANSWER_CHARS && one.locations.length === 0))
    return [];
  return [
    {
      to: undefined,
      sentence: `Missing: nobody mentioned ${formatList(missing.map((term) => inlineCode(term.shown)))}.`,
    },
  ];
}

function write(points: readonly Point[]): string {
  const shown = points.slice(0, POINTS_MAX);
  const groups = [...Map.groupBy(shown, (point) => point.to)].sort(
    ([a], [b]) => Number(a === undefined) - Number(b === undefined),
  );
  const written = groups.map(([to, own]) => {
    const head = to === undefined ? "To all:" : `To ${boldName(to)}:`;
    return `${head}\n\n${own.map((point) => `- ${point.sentence}`).join("\n")}\n\n`;
  });
  const left = points.length - shown.length;
  return `${written.join("")}${left > 0 ? `… and ${counted(left, "more point")}.\n\n` : ""}`;
}

function footOf(all: readonly Claims[], checked: readonly CheckedLocation[]): string {
  const good = checked.filter((one) => one.verdict.kind === "holds").length;
  const cut = all.some((one) => one.isCut) ? ". Only the beginning of long answers was read" : "";
  const summary = checked.length === 0 ? "" : `. Places that check out: ${good} of ${checked.length}`;
  return `Compared ${formatList(all.map((one) => boldName(one.by).replaceAll("*", "")))} with the files${summary}${cut}`;
}

const SENTENCE_CHARS_MAX = 160;

/** Contradictions between members, by what they said; files are not checked. */
export function findDisagreements(all: readonly Claims[]): string[] {
  return [...stances(all), ...definitions(all), ...disputes(all)];
}

function stances(all: readonly Claims[]): string[] {
  const sides = (["yes", "no"] as const).flatMap((stance) => {
    const names = all.filter((one) => one.stance === stance).map((one) => boldName(one.by));
    return names.length === 0 ? [] : [`${formatList(names)} ${names.length === 1 ? "says" : "say"} ${stance}`];
  });
  return sides.length < 2 ? [] : [`${sides.join(", ")}.`];
}

/** The same name is said to be defined in two files. */
function definitions(all: readonly Claims[]): string[] {
  const statements = all.flatMap(({ by, locations }) =>
    locations.flatMap(({ defines, reference: { path, line } }) =>
      defines === undefined ? [] : [{ by, name: defines, path, line }],
    ),
  );
  return [...Map.groupBy(statements, (one) => one.name)].flatMap(([name, claims]) => {
    const paths = Map.groupBy(claims, (one) => baseName(one.path));
    const speakers = new Set(claims.map((one) => one.by));
    if (paths.size < 2 || speakers.size < 2) return [];
    const sides = [...paths.values()].flatMap(([first]) =>
      first === undefined ? [] : [`${boldName(first.by)} says ${reference(first.path, first.line)}`],
    );
    return [`Where ${inlineCode(name)} is defined: ${formatList(sides)}.`];
  });
}

function disputes(all: readonly Claims[]): string[] {
  return all.flatMap(({ by, disputes: own }) =>
    own.map((dispute) => `${boldName(by)} contradicts ${boldName(dispute.with)}: ${inlineCode(cut(dispute.sentence))}`),
  );
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}

function cut(text: string): string {
  return withEllipsis(text, SENTENCE_CHARS_MAX);
}

function boldName(name: string): string {
  return `**${printableLine(name).replace(/[`*<>[\]\\]/g, "")}**`;
}
