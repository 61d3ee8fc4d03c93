/** Classifies a question by its words. The first matching rule decides. */
import { parseTerms, type Terms } from "./terms.ts";

export type QuestionKind =
  | "help"
  | "more"
  | "start"
  | "overview"
  | "commands"
  | "definition"
  | "uses"
  | "files"
  | "search";

export interface Question extends Terms {
  /** Without the @mention of the member. */
  text: string;
  kind: QuestionKind;
  /** "What is this project?" is asked beside something else. */
  alsoOverview: boolean;
  aboutTests: boolean;
  /** True when only the beginning of the question was read. */
  isCut: boolean;
}

/** Only the beginning of a long text is read, to keep the rules fast. */
export const QUESTION_CHARS_MAX = 4_000;

const MENTIONS = /^(?:\s*@[a-z][a-z0-9_-]*[,:]?(?=\s))+\s*/;

const HELP =
  /^(?:scout[,:]?\s+)?(?:\/?help|what (?:can|do) you do|who are you|what are you|how do you work|what is scout)\b[\s?!.]*$/i;
const MORE = /^(?:show |give |tell )?(?:me )?(?:some |any )?(?:more|next|continue|other places)\b[\w ]{0,20}[?.!]*$/i;
const THIS =
  "(?:this|the|that)\\s+(?:whole\\s+|entire\\s+)?(?:project|repo(?:sitory)?|code ?base|code|package|library|app(?:lication)?|program|tool|directory|folder)";
const OVERVIEW = [
  new RegExp(
    `\\bwhat(?:'s|’s| is| does| are)\\s+(?:in\\s+)?${THIS}(?:\\s+(?:about|for|do|does|all about))?[\\s?.!]*$`,
    "i",
  ),
  new RegExp(
    `\\b(?:describe|summari[sz]e|explain|overview of|introduc\\w+ to|tell me about|about)\\s+${THIS}[\\s?.!]*$`,
    "i",
  ),
  new RegExp(`\\bhow is\\s+${THIS}\\s+(?:structured|organi[sz]ed|laid out|built up)`, "i"),
  /^(?:what is this|overview|readme)[\s?.!]*$/i,
];
const START =
  /^(?:(?:i(?:'m| am) new(?: here)?[,.:;]?\s+)?where (?:do|should|can|would) (?:i|we|you|one|a newcomer) (?:start|begin)(?: (?:reading|looking|here|with (?:this|the) \w+|(?:in|with) (?:this|the) (?:code(?: ?base)?|project|repo(?:sitory)?)|reading (?:this|the) (?:code(?: ?base)?|project|repo(?:sitory)?)))?|(?:what|which files?) (?:should|do) i read first|where is the entry point)[\s?.!]*$/i;
const COMMAND_VERBS =
  "run|start|build|test|tests|install|compile|lint|format|deploy|launch|set ?up|setup|bench(?:mark)?s?|release|publish|serve|develop|typecheck|check";
const COMMANDS = [
  new RegExp(`\\bhow (?:do|can|to|should|would|does one|do you)\\b.*\\b(?:${COMMAND_VERBS})\\b`, "i"),
  /\b(?:what|which) (?:are the )?(?:npm |make |available )?(?:scripts|commands|targets|tasks)\b/i,
  new RegExp(`^(?:${COMMAND_VERBS})(?: (?:the|this|it|tests?|project|app|suite|instructions|command))*[\\s?.!]*$`, "i"),
  new RegExp(`\\b(?:command|way|script)s? (?:to|for) (?:the )?(?:${COMMAND_VERBS})`, "i"),
];
const COMMAND_TERMS = new RegExp(
  `^(?:${COMMAND_VERBS}|running|building|testing|installing|it|app|application|program|server|suite|unit|locally|dependency|dependencies|everything|command|script|target|task|available|npm|make|cargo|dev|instruction|package|ci)s?$`,
  "i",
);
const DEFINITION =
  /\bwhere(?:'s|’s| is| are)?\b.*\b(?:defined|declared|implemented|definition|come from|comes from|located|live|lives)\b|\bdefinition of\b|\bfind (?:the )?(?:function|class|type|interface|definition)\b|^where(?:'s|’s| is| are) [`"]?\S+?[`"]?\s*\?*$/i;
const USES =
  /\bwho (?:calls|uses|imports)\b|\bwhere\b.*\b(?:used|called|referenced|imported)\b|\b(?:uses|usages|callers|references|calls) (?:of|to)\b/i;
const FILES = /\b(?:what|which|list|show|find)\b[^?]{0,20}\bfiles?\b/i;

/** Between the parts of one question. */
const CLAUSE_BREAK = /[,;.?!]\s+(?:(?:and|then)\s+)*|\s+and\s+(?=wh|how\b)/i;
const CLAUSES_MAX = 4;

export function parseQuestion(raw: string): Question {
  const { text: prompt, isSubject } = withoutDiff(raw);
  const isCut = prompt.length > QUESTION_CHARS_MAX;
  const text = prompt.slice(0, QUESTION_CHARS_MAX).replace(MENTIONS, "").trim();
  const all = parseTerms(text);
  const terms = { ...all, terms: all.terms.filter((term) => isSubject(term.full)) };
  const aboutTests = /\b(?:tests?|specs?|tested|testing)\b/i.test(text);
  const whole = kindOf(text, terms);
  const compound = whole === "start" ? undefined : compoundKind(text);
  return {
    text,
    kind: compound?.kind ?? whole,
    alsoOverview: compound?.alsoOverview ?? false,
    aboutTests,
    isCut,
    ...terms,
  };
}

/** "What is this project, and where do I start?" asks for two things; undefined unless every part is one of them. */
function compoundKind(text: string): { readonly kind: QuestionKind; readonly alsoOverview: boolean } | undefined {
  const kinds = text
    .split(CLAUSE_BREAK)
    .map((clause) => (START.test(clause) ? "start" : isOverview(clause) ? "overview" : undefined));
  if (kinds.length < 2 || kinds.length > CLAUSES_MAX || kinds.includes(undefined)) return undefined;
  return kinds.includes("start")
    ? { kind: "start", alsoOverview: kinds.includes("overview") }
    : { kind: "overview", alsoOverview: false };
}

function isOverview(text: string): boolean {
  return OVERVIEW.some((rule) => rule.test(text));
}

function kindOf(text: string, terms: Terms): QuestionKind {
  if (HELP.test(text)) return "help";
  if (MORE.test(text)) return "more";
  if (START.test(text)) return "start";
  if (isOverview(text)) return "overview";
  if (COMMANDS.some((rule) => rule.test(text)) && isOnlyAboutCommands(terms)) return "commands";
  if (USES.test(text)) return "uses";
  if (DEFINITION.test(text)) return "definition";
  if (FILES.test(text)) return "files";
  return "search";
}

/** "How do I run the tests" asks for a command; "how does the host run a turn" asks about code. */
function isOnlyAboutCommands({ terms, paths }: Terms): boolean {
  const others = terms.filter((term) => term.kind !== "part" && !COMMAND_TERMS.test(term.full));
  return others.length === 0 && paths.length === 0;
}

const CHANGED = /^diff --git (?:.+ b\/(.+)|\S+ (?:[a-z]\/)?(\S+))$/;
const OF_A_DIFF =
  /^(?:[ +\-\\]|diff --git |index [0-9a-f]|@@ |(?:old|new|deleted file|new file) mode |similarity |rename |copy |Binary files |<\/?stdin>$)/;
/** Words that only announce a diff. */
const ABOUT_DIFFS: ReadonlySet<string> = new Set(["change", "changes", "diff", "patch", "review"]);

interface WithoutDiff {
  readonly text: string;
  /** False for words of every question about a diff. */
  readonly isSubject: (word: string) => boolean;
}

/** Replaces a pasted diff with the files it changes; its lines are no search terms. */
export function withoutDiff(raw: string): WithoutDiff {
  const start = /^diff --git /m.exec(raw)?.index;
  if (start === undefined) return { text: raw, isSubject: () => true };
  const lines = raw.slice(start).split(/\r?\n/);
  const files = new Set(lines.flatMap((line) => CHANGED.exec(line)?.slice(1).filter(Boolean) ?? []));
  const before = raw.slice(0, start).replace(/<stdin>\s*$/, "");
  const after = lines
    .filter((line) => !OF_A_DIFF.test(line))
    .join("\n")
    .trim();
  return { text: [before, after, ...files].join("\n"), isSubject: (word) => !ABOUT_DIFFS.has(word) };
}
