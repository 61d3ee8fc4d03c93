/**
 * Extracts checkable claims from a member's answer: places, the code said to be there, names, and a yes or no.
 * Heuristic: proposals, denials and examples are no claims. Pure.
 */
import { findReferences, type Reference } from "../search/references.ts";

export interface LocationClaim {
  reference: Reference;
  /** Code that the sentence says is there. */
  snippets: readonly string[];
  /** The lines of the code block below. */
  quoted: readonly string[];
  /** The name said to be defined there. */
  defines: string | undefined;
  /** The claimed number of lines of the file. */
  lineCount: number | undefined;
}

export interface Claims {
  by: string;
  locations: readonly LocationClaim[];
  /** Identifiers in code marks. */
  names: readonly string[];
  stance: "yes" | "no" | undefined;
  /** Sentences that contradict another member. */
  disputes: readonly { with: string; sentence: string }[];
  chars: number;
  isCut: boolean;
}

export const ANSWER_CHARS_MAX = 64_000;
const LOCATIONS_MAX = 60;
const NAMES_MAX = 40;
const QUOTED_LINES_MAX = 40;
const CAPTION_CHARS_MAX = 160;
const SENTENCE_CHARS_MAX = 600;

const DENIED =
  /\b(?:not|no|none|never|without|missing|lacks?|absent|removed|deleted|gone|instead of|rather than|unlike|nowhere|nobody|neither)\b|n['’]t\b/i;
const PROPOSED =
  /\b(?:should|could|would|might|suggest\w*|propos\w+|recommend\w*|let['’]?s|add|adding|introduce|create|rename|replace|rewrite|chang(?:e|ing) (?:it|this|to)|new|instead|e\.g\.|for example|for instance|such as|like|imagine|if|ask)\b/i;
const COMMIT = /`[0-9a-f]{7,40}`/;
const DEFINED =
  /`([\w$#]+)(?:\(\))?`\*{0,2}[^`.]{0,30}?\b(?:is|was|are|gets?) (?:defined|declared|implemented|located)\b|\bdefin(?:es|ition of) `([\w$#]+)(?:\(\))?`/;
const LINE_COUNT = /\bhas ([\d,]{1,9}) lines\b/;
const CODE_SPAN = /(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;
const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/;
/** Blocks of these languages are not the text of a file. */
const NOT_FILE_TEXT = new Set([
  "diff",
  "patch",
  "text",
  "txt",
  "sh",
  "bash",
  "console",
  "shell",
  "log",
  "output",
  "mermaid",
]);
const DISPUTE = /\b(?:disagrees?|wrong|incorrect|mistaken|not (?:true|right|correct)|contradicts?|false)\b/i;

export function readClaims(by: string, answer: string, others: readonly string[]): Claims {
  const text = answer.slice(0, ANSWER_CHARS_MAX);
  const locations: LocationClaim[] = [];
  const names = new Set<string>();
  const disputes: { with: string; sentence: string }[] = [];
  let caption = "";
  for (const block of blocksOf(text)) {
    if (block.kind === "code") {
      const last = locations.at(-1);
      const isCaptioned =
        last !== undefined && caption.length <= CAPTION_CHARS_MAX && findReferences(caption).length === 1;
      if (
        isCaptioned &&
        !NOT_FILE_TEXT.has(block.language) &&
        !PROPOSED.test(withoutCode(caption, findReferences(caption)))
      ) {
        locations[locations.length - 1] = { ...last, quoted: block.lines.slice(0, QUOTED_LINES_MAX) };
      }
      caption = "";
      continue;
    }
    caption = block.line;
    for (const sentence of sentencesOf(block.line)) {
      readSentence(sentence, { locations, names });
      const rival = others.find((other) => other !== by && mentions(sentence, other));
      if (rival !== undefined && DISPUTE.test(sentence)) disputes.push({ with: rival, sentence: sentence.trim() });
    }
  }
  return {
    by,
    locations: locations.slice(0, LOCATIONS_MAX),
    names: [...names].slice(0, NAMES_MAX),
    stance: stanceOf(text),
    disputes,
    chars: answer.length,
    isCut: answer.length > text.length || locations.length > LOCATIONS_MAX,
  };
}

type Block = { kind: "prose"; line: string } | { kind: "code"; language: string; lines: string[] };

/** Without blank lines, so that a code block directly follows the line above it. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; block: Extract<Block, { kind: "code" }> } | undefined;
  for (const line of text.split("\n")) {
    const fence = FENCE.exec(line);
    if (open !== undefined) {
      if (fence !== null && (fence[1] ?? "").startsWith(open.fence) && line.trim() === fence[1]) {
        blocks.push(open.block);
        open = undefined;
      } else open.block.lines.push(line);
    } else if (fence !== null)
      open = { fence: fence[1] ?? "", block: { kind: "code", language: (fence[2] ?? "").toLowerCase(), lines: [] } };
    else if (line.trim() !== "") blocks.push({ kind: "prose", line });
  }
  return open === undefined ? blocks : [...blocks, open.block];
}

function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?;])\**\s+/).map((one) => one.slice(0, SENTENCE_CHARS_MAX));
}

function readSentence(sentence: string, into: { locations: LocationClaim[]; names: Set<string> }): void {
  const references = findReferences(sentence);
  const bare = withoutCode(sentence, references);
  const isClaim = !DENIED.test(bare) && !PROPOSED.test(bare);
  // Code marks in a line about a commit are ids and messages, not file content.
  const spans = isClaim && !COMMIT.test(sentence) ? codeSpans(sentence, references) : [];
  const isAboutOne = references.length === 1;
  const definition = DEFINED.exec(sentence);
  for (const reference of references) {
    into.locations.push({
      reference,
      snippets:
        isAboutOne && reference.line !== undefined ? spans.filter((span) => isName(span) || isSnippet(span)) : [],
      quoted: [],
      defines: isAboutOne && isClaim ? (definition?.[1] ?? definition?.[2]) : undefined,
      lineCount: isAboutOne && isClaim ? toCount(LINE_COUNT.exec(sentence)?.[1]) : undefined,
    });
  }
  for (const span of spans) if (isName(span)) into.names.add(span.replace(/\(\)$/, ""));
}

/** Removes paths and code from the sentence. */
function withoutCode(sentence: string, references: readonly Reference[]): string {
  let bare = sentence;
  for (const { start, end } of references) bare = bare.slice(0, start) + " ".repeat(end - start) + bare.slice(end);
  return bare.replace(CODE_SPAN, " ");
}

function codeSpans(sentence: string, references: readonly Reference[]): string[] {
  return [...sentence.matchAll(CODE_SPAN)].flatMap((match) => {
    const end = match.index + match[0].length;
    const isReference = references.some((one) => one.start < end && match.index < one.end);
    return isReference ? [] : [(match[2] ?? "").trim()];
  });
}

/** Identifiers: `takeLock`, `take_lock`, `takeLock()`, `Lock.release`. A plain word is none. */
function isName(span: string): boolean {
  if (!/^[A-Za-z_$#][\w$]*(?:\.[A-Za-z_$#][\w$]*){0,3}(?:\(\))?$/.test(span) || span.length < 4) return false;
  return /[a-z][A-Z]|[A-Za-z]_[A-Za-z]|\(\)$/.test(span);
}

function isSnippet(span: string): boolean {
  return span.length >= 8 && /[(){}[\]=;<>"']/.test(span) && /[A-Za-z]{3}/.test(span);
}

function toCount(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}

function mentions(sentence: string, name: string): boolean {
  const at = sentence.toLowerCase().indexOf(name.toLowerCase());
  if (at === -1) return false;
  const adjacent = `${sentence.charAt(at - 1)}${sentence.charAt(at + name.length)}`;
  return !/\w/.test(adjacent);
}

function stanceOf(text: string): "yes" | "no" | undefined {
  const word = /^[\s*_#>"“-]*(yes|no)\b(?!\s+(?:file|line|test|commit|such|one|match|model|definition))/i.exec(
    text,
  )?.[1];
  return word === undefined ? undefined : word.toLowerCase() === "yes" ? "yes" : "no";
}
