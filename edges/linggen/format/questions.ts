/**
 * Requests as linggen's cards, and their answers back. A permission has exactly the choices of its card; each maps to
 * the widest choice of the request that is not wider than its label.
 */
import { FOR_ALWAYS, FOR_SESSION, onceValue, type Json, type UiRequestBody } from "../../../src/protocol/index.ts";
import { isWebTool, toolLineOf } from "./tool-lines.ts";

export interface QuestionCard {
  readonly question: string;
  readonly header: string;
  readonly options: readonly {
    readonly label: string;
    readonly description: string | null;
    readonly preview: string | null;
  }[];
  readonly multi_select: boolean;
}

export interface GivenAnswer {
  readonly question_index: number;
  readonly selected: readonly string[];
  readonly custom_text?: string | null | undefined;
}

type Approval = Extract<UiRequestBody, { method: "approval" }>;
type Question = Extract<UiRequestBody, { method: "question" }>["questions"][number];

const HEADER_CHARS_MAX = 80;
const AS_IT_IS = "Keep as it is";
const CANCEL = "Cancel";

export function questionsOf(request: UiRequestBody): QuestionCard[] {
  switch (request.method) {
    case "approval":
      return [permissionCard(request)];
    case "question":
      return request.questions.map((one) => ({
        question: one.text,
        header: headerOf(request.title),
        options: one.options.map(choice),
        multi_select: one.multiple,
      }));
    case "select":
      return [{ ...plain(request.title, "Select"), options: request.options.map(choice) }];
    case "confirm": {
      const options = ["Yes", "No"].map((label) => choice({ label }));
      return [{ ...plain(`${request.title}\n${request.message}`.trim(), "Confirm"), options }];
    }
    case "input":
      return [plain(withHint(request.title, request.placeholder), "Input")];
    default: {
      const { prefill } = request;
      const options = prefill === undefined ? [] : [{ label: AS_IT_IS, description: null, preview: prefill }];
      return [{ ...plain(request.title, "Editor"), options }];
    }
  }
}

function permissionCard(request: Approval): QuestionCard {
  const { tool } = toolLineOf({ name: request.tool, args: null });
  const labels = permissionLabels(tool);
  const preview = request.diff ?? null;
  const [first = CANCEL, ...others] = labels;
  const options = [{ label: first, description: null, preview }, ...others.map((label) => choice({ label }))];
  // In full, however long: whoever allows it must have seen it.
  return { question: `${request.title}\n${request.call}`.trim(), header: "Permission", options, multi_select: false };
}

function permissionLabels(tool: string): string[] {
  const forTask = `Allow all ${tool} for this task`;
  if (isWebTool(tool)) return ["Allow this request", forTask, CANCEL];
  return ["Allow once", forTask, `Allow all ${tool} for this project`, CANCEL];
}

function choice(option: { label: string; description?: string | undefined }) {
  return { label: option.label, description: option.description ?? null, preview: null };
}

function plain(question: string, header: string): QuestionCard {
  return { question, header, options: [], multi_select: false };
}

function withHint(title: string, placeholder: string | undefined): string {
  return placeholder === undefined ? title : `${title} (${placeholder})`;
}

function headerOf(title: string): string {
  return Array.from(title).slice(0, HEADER_CHARS_MAX).join("");
}

/** The answer in our format. An empty choice without text declines; undefined when it belongs to another request. */
export function answerOf(request: UiRequestBody, answers: readonly GivenAnswer[]): Json | undefined {
  const first = answers.find((one) => one.question_index === 0);
  switch (request.method) {
    case "approval":
      return approvalOf(request, first);
    case "question":
      return questionAnswers(request.questions, answers);
    case "select": {
      const label = first?.selected[0];
      return label === undefined ? null : request.options.find((one) => one.label === label)?.value;
    }
    case "confirm":
      return first?.selected[0] === "Yes";
    case "input":
      return customTextOf(first) ?? first?.selected[0] ?? null;
    default:
      return customTextOf(first) ?? (first?.selected[0] === AS_IT_IS ? (request.prefill ?? "") : null);
  }
}

function customTextOf(answer: GivenAnswer | undefined): string | undefined {
  const customText = answer?.custom_text;
  return customText === undefined || customText === null || customText === "" ? undefined : customText;
}

function approvalOf(request: Approval, answer: GivenAnswer | undefined): Json | undefined {
  const label = answer?.selected[0];
  if (label === undefined || label === CANCEL) return false;
  const { tool } = toolLineOf({ name: request.tool, args: null });
  const labels = permissionLabels(tool);
  const at = labels.indexOf(label);
  if (at < 0) return undefined;
  const values = new Set(request.options.map((one) => one.value));
  const once = onceValue(request);
  const isForProject = label.endsWith("for this project");
  const isForTask = isForProject || label.endsWith("for this task");
  if (isForProject && values.has(FOR_ALWAYS)) return FOR_ALWAYS;
  if (isForTask && values.has(FOR_SESSION)) return FOR_SESSION;
  return once ?? false;
}

function questionAnswers(questions: readonly Question[], answers: readonly GivenAnswer[]): Json | undefined {
  const result: Record<string, Json> = {};
  for (const answer of answers) {
    const question = questions[answer.question_index];
    if (question === undefined) return undefined;
    const value = questionAnswer(question, answer);
    if (value === undefined) return undefined;
    if (value !== null) result[question.id] = value;
  }
  return Object.keys(result).length === 0 ? null : result;
}

/** Null for a skipped question. */
function questionAnswer(question: Question, answer: GivenAnswer): Json | undefined {
  const chosen = answer.selected.map((label) => question.options.find((one) => one.label === label)?.value);
  if (chosen.some((value) => value === undefined)) return undefined;
  const values = chosen.filter((value) => value !== undefined);
  const customText = customTextOf(answer);
  const all = customText !== undefined && question.freeText ? [...values, customText] : values;
  if (all.length === 0) return null;
  return question.multiple ? all : (all.at(-1) ?? null);
}
