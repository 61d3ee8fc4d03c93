/**
 * Requests to the user as interactions of later clients of assistant, and their answers back. They are separate
 * chat items: the request id is the id of the interaction and of the call it is shown for.
 */
import {
  FOR_ALWAYS,
  FOR_SESSION,
  onceValue,
  safeDefault,
  type EventOf,
  type Json,
  type UiRequestBody,
} from "../../../src/protocol/index.ts";
import { namedTitle, type OpenRequest } from "../../../src/transcript/index.ts";
import type {
  InteractionField,
  InteractionForm,
  InteractionRequest,
  InteractionResponse,
  InteractionScope,
} from "./chat-event.ts";
import type { ClientFrameOf } from "./client-frame.ts";

type Approval = Extract<UiRequestBody, { method: "approval" }>;
type Question = Extract<UiRequestBody, { method: "question" }>["questions"][number];
type Given = ClientFrameOf<"tool_interaction_response">;

/** Id of the only field, and of the text beside a choice. */
const ANSWER = "answer";
const FREE_TEXT_SUFFIX = ":words";
const YES_NO = [
  { label: "Yes", value: "yes" },
  { label: "No", value: "no" },
];

export function interactionRequest({
  requestId,
  member,
  request,
}: Pick<OpenRequest, "requestId" | "member" | "request">): InteractionRequest {
  const of = { toolCallId: requestId, interactionId: requestId, presentation: "questionnaire" as const };
  const prompt = namedTitle(member, request.title);
  if (request.method !== "approval") {
    return { ...of, toolName: request.method, interactionType: "input", prompt, inputSchema: formOf(request) };
  }
  const base = { ...of, toolName: request.tool, prompt: `${prompt}\n${request.call}` };
  const approvalScopes = scopesOf(request).map(([scope]) => scope);
  if (approvalScopes.length > 0) return { ...base, interactionType: "approval", approvalScopes };
  // The agent has its own choices, for which these clients have no button.
  return { ...base, interactionType: "input", inputSchema: formOf({ ...request, method: "select" }) };
}

/** The choices that a client can offer, and what each means to the agent. */
function scopesOf(request: Approval): (readonly [InteractionScope, string])[] {
  const once = onceValue(request);
  const isOffered = (value: string) => request.options.some((option) => option.value === value);
  return [
    ...(once === undefined ? [] : [["once", once] as const]),
    ...(isOffered(FOR_SESSION) ? [["session", FOR_SESSION] as const] : []),
    ...(isOffered(FOR_ALWAYS) ? [["always", FOR_ALWAYS] as const] : []),
  ];
}

function formOf(request: Exclude<UiRequestBody, Approval>): InteractionForm {
  const only = { id: ANSWER, label: request.title, required: true };
  switch (request.method) {
    case "select":
      return { fields: [{ ...only, type: "select", options: choices(request.options) }] };
    case "confirm":
      return { fields: [{ ...only, type: "radio", label: request.message, options: YES_NO }] };
    case "input": {
      const { placeholder } = request;
      return { fields: [{ ...only, type: "text", ...(placeholder === undefined ? {} : { placeholder }) }] };
    }
    case "editor": {
      const { prefill } = request;
      const initialValues = prefill === undefined ? {} : { initialValues: { [ANSWER]: prefill } };
      return { fields: [{ ...only, type: "textarea", required: false }], ...initialValues };
    }
    default:
      return { fields: request.questions.flatMap(questionFields) };
  }
}

function questionFields({ id, text, options, multiple, freeText }: Question): InteractionField[] {
  const type = multiple ? ("multiselect" as const) : ("select" as const);
  const unchosen = multiple ? [] : [{ label: "", value: "" }];
  return [
    ...(options.length === 0 ? [] : [{ id, type, label: text, options: [...unchosen, ...choices(options)] }]),
    ...(freeText || options.length === 0
      ? [{ id: id + FREE_TEXT_SUFFIX, type: "text" as const, label: options.length === 0 ? text : "In your own words" }]
      : []),
  ];
}

function choices(options: readonly { label: string; value: string }[]) {
  return options.map(({ label, value }) => ({ label, value }));
}

/** Our answer; undefined when it belongs to another request. The session validates it. */
export function interactionAnswer(
  request: UiRequestBody,
  { action, approvalScope = "once", input = {} }: Given,
): Json | undefined {
  if (action === "deny" || action === "cancel") return safeDefault(request.method);
  if (action === "approve") {
    const scopes = request.method === "approval" ? scopesOf(request) : [];
    return scopes.find(([scope]) => scope === approvalScope)?.[1];
  }
  if (request.method === "question") return questionAnswers(request.questions, input);
  const answer = input[ANSWER];
  if (typeof answer !== "string") return undefined;
  return request.method === "confirm" ? answer === "yes" : answer;
}

/** Questions that were skipped are left out; null when all were. */
function questionAnswers(questions: readonly Question[], input: Readonly<Record<string, unknown>>): Json {
  const given = questions.flatMap(({ id, multiple }): [string, Json][] => {
    const all = [input[id], input[id + FREE_TEXT_SUFFIX]]
      .flat()
      .filter((one) => typeof one === "string" && one !== "") as string[];
    const last = all.at(-1);
    return last === undefined ? [] : [[id, multiple ? all : last]];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** Outcome of a request: answered here or elsewhere, or cancelled. */
export function interactionResponse(
  event: EventOf<"ui_response" | "ui_cancelled">,
  request: UiRequestBody | undefined,
): InteractionResponse {
  const of = { toolCallId: event.requestId, interactionId: event.requestId };
  if (event.type === "ui_cancelled") return { ...of, action: "cancel", reason: event.reason };
  if (request?.method !== "approval") return { ...of, action: event.result === null ? "cancel" : "submit" };
  const scope = scopesOf(request).find(([, value]) => value === event.result)?.[0];
  if (event.result === false || event.error !== null) return { ...of, action: "deny" };
  return { ...of, action: "approve", ...(scope === undefined ? {} : { approvalScope: scope }) };
}
