/** Classifies a question to the critic by its words. */
import { parseTerms, type Term } from "../search/terms.ts";
import { parseQuestion, type Question } from "../search/question.ts";

export interface CriticQuestion {
  kind: "help" | "more" | "check" | "project" | "words" | "nothing";
  /** Without the words that only ask for a critique. */
  question: Question;
  /** Asks for risks or tests, not for a judgement of the discussion. */
  asksForRisks: boolean;
}

const HELP =
  /^(?:critic[,:]?\s+)?(?:\/?help|what (?:can|do) you do|who are you|what are you|how do you work|what is critic)\b[\s?!.]*$/i;
/** Asks for a judgement of the discussion. */
const CHECK =
  /\b(?:check|verify|is (?:that|this|it) (?:right|true|correct)|agree|disagree|correct\?|who is right|review (?:the|their|that) answers?|what (?:do you think|about (?:that|it))|said|claims?|answers?)\b/i;

const RISKS =
  /\b(?:risk\w*|danger\w*|unsafe|untested|(?:missing|which|what|no) tests?|todos?|fixmes?|secrets?|weak\w*|smells?|review)\b/i;

const CRITIC_TERMS = new Set(
  `agree agrees disagree critic criticise criticize critique risk risks risky review reviewed problem problems bug bugs danger dangers dangerous missing
  unsafe weak weakness weaknesses concern concerns issue issues wrong check checked verify opinion improve improvement
  untested test tests tested todo fixme smell smells quality fragile judge careful worry worries`.split(/\s+/),
);

export function parseCriticQuestion(raw: string): CriticQuestion {
  const question = parseAboutRisks(raw);
  const asksForRisks = RISKS.test(question.text);
  const kind = kindOf(question, asksForRisks);
  return { kind, question, asksForRisks: kind !== "check" && asksForRisks };
}

/** Also used when a message is added to a running search. */
export function parseAboutRisks(raw: string): Question {
  const question = parseQuestion(raw);
  // Next to a name other words are misleading; an added message is on a line of its own.
  const lines = question.text.split("\n").map((line) => parseTerms(line).terms);
  const apart = new Set(
    lines.filter((terms) => !terms.some(isName)).flatMap((terms) => terms.map((term) => term.full)),
  );
  const terms = question.terms.filter(
    (term) => term.kind !== "word" || (apart.has(term.full) && !CRITIC_TERMS.has(term.full)),
  );
  return { ...question, terms };
}

function isName(term: Term): boolean {
  return term.kind === "identifier" || term.kind === "phrase";
}

function kindOf(question: Question, asksForRisks: boolean): CriticQuestion["kind"] {
  if (HELP.test(question.text)) return "help";
  if (question.kind === "more") return "more";
  if (CHECK.test(question.text)) return "check";
  if (["commands", "overview", "start"].includes(question.kind) && !asksForRisks) return "nothing";
  if (question.terms.length > 0 || question.paths.length > 0) return "words";
  return asksForRisks ? "project" : "nothing";
}
