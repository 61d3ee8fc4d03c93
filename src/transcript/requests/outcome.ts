/** Outcome of a request as text. */
import {
  FOR_ALWAYS,
  FOR_EDITS,
  FOR_SESSION,
  isDenial,
  onceValue,
  senderOf,
  type EventOf,
  type Json,
  type UiRequestBody,
} from "../../protocol/index.ts";
import { present } from "../record.ts";
import { argumentFields } from "./argument-fields.ts";
import type { RequestAnswer, RequestOutcome, RequestState } from "../messages.ts";

export function requestOutcome(
  request: UiRequestBody,
  state: RequestState,
  answer: RequestAnswer | undefined,
): RequestOutcome {
  if (answer === undefined) return unansweredOutcome(request, state);
  const { result, error, reason, clientId } = answer;
  const sender = senderOf(clientId);
  const by = sender === undefined ? answer.by : `${sender.name}'s device`;
  const outcome = error === null ? answerOutcome(request, result, reason) : unanswered(request, error);
  return { ...outcome, ...present({ clientId, by }) };
}

function unansweredOutcome(request: UiRequestBody, state: RequestState): RequestOutcome {
  switch (state) {
    case "open":
      return { kind: "open", text: "waits for you" };
    case "expired":
      return request.method === "approval"
        ? { kind: "denied", text: "denied, nobody answered" }
        : unanswered(request, "nobody answered");
    case "restart":
      return { kind: "unanswered", text: "ended by a restart" };
    case "cancelled":
      return { kind: "unanswered", text: "cancelled" };
    default:
      return { kind: "answered", text: "answered elsewhere" };
  }
}

function unanswered({ method }: UiRequestBody, why: string): RequestOutcome {
  if (method === "approval") return { kind: "denied", text: `denied: ${why}` };
  return { kind: "unanswered", text: `no answer: ${why}` };
}

/** Decision of a rule or an earlier grant. */
export function decidedOutcome({ verdict, by }: Decided): RequestOutcome {
  if (verdict === "deny") return { kind: "denied", text: "denied by a rule" };
  return { kind: "allowed", text: by === "always" ? ALWAYS : by === "rule" ? "allowed by a rule" : SESSION };
}

type Decided = NonNullable<EventOf<"tool_call_update">["decided"]>;

function answerOutcome(request: UiRequestBody, result: Json, reason: string | undefined): RequestOutcome {
  if (request.method === "approval") return decision(request, result, reason);
  if (result === null) return { kind: "unanswered", text: "no answer" };
  return { kind: "answered", text: `answered: ${answerText(request, result)}` };
}

type Approval = Extract<UiRequestBody, { method: "approval" }>;

const SESSION = "allowed for this session";
const ALWAYS = "always allowed in this folder";
const SCOPES: Readonly<Record<string, string>> = {
  [FOR_SESSION]: SESSION,
  [FOR_ALWAYS]: ALWAYS,
  [FOR_EDITS]: "all edits allowed for this session",
};

/** Everything but a clear yes is a no, as for the agents. */
function decision(request: Approval, result: Json, reason: string | undefined): RequestOutcome {
  if (result === true || (result !== null && result === onceValue(request))) {
    return { kind: "allowed", text: "allowed once" };
  }
  const option = request.options.find(({ value }) => value === result);
  if (option === undefined || isDenial(request, result)) {
    return { kind: "denied", text: reason === undefined ? "denied" : `denied: ${reason}` };
  }
  const { label, value, description = "" } = option;
  const scope = Object.hasOwn(SCOPES, value) ? SCOPES[value] : undefined;
  if (scope !== undefined) return { kind: "allowed", text: scope };
  if (/^(?:deny|refuse|reject|no)\b/i.test(label)) return { kind: "denied", text: `denied: ${label}` };
  const allowed = /^(always )?allow\b(.*)$/is.exec(label);
  if (allowed !== null) {
    const [, always = "", rest = ""] = allowed;
    return { kind: "allowed", text: `${always.toLowerCase()}allowed${rest}` };
  }
  return { kind: description.startsWith("allow") ? "allowed" : "answered", text: `answered: ${label}` };
}

type Options = readonly { readonly label: string; readonly value: string }[];

function answerText(request: UiRequestBody, result: Json): string {
  switch (request.method) {
    case "confirm":
      return result === true ? "yes" : "no";
    case "select":
      return labelOf(request.options, result);
    case "question":
      return questionText(request.questions, result);
    default:
      return labelOf([], result);
  }
}

/** Answers of one question are joined by commas, questions by semicolons. */
function questionText(questions: readonly { readonly id: string; readonly options: Options }[], result: Json): string {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return labelOf([], result);
  const answers = questions.flatMap(({ id, options }) => {
    const given = result[id];
    if (given === undefined) return [];
    return [(Array.isArray(given) ? given : [given]).map((one) => labelOf(options, one)).join(", ")];
  });
  return answers.join("; ") || "nothing";
}

function labelOf(options: Options, value: Json): string {
  const label = options.find((option) => option.value === value)?.label;
  if (label !== undefined) return label;
  if (value === "" || value === null) return "nothing";
  return typeof value === "string"
    ? value
    : argumentFields(value)
        .map(({ text }) => text)
        .join(", ");
}
