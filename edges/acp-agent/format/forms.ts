/** User requests as forms, for editors that support them; the session validates the answers again. */
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
} from "@agentclientprotocol/sdk";
import { safeDefault, type Json, type UiRequestBody } from "../../../src/protocol/index.ts";
import { type OpenRequest, namedTitle } from "../../../src/transcript/index.ts";

type Question = Extract<UiRequestBody, { method: "question" }>["questions"][number];
type Option = Question["options"][number];

const FIELD = "answer";

export function formRequest(sessionId: string, { member, toolCallId, request }: OpenRequest): CreateElicitationRequest {
  const fields = fieldsOf(request);
  // A question may be skipped, as on every other screen.
  const required = request.method === "question" ? [] : Object.keys(fields);
  return {
    mode: "form",
    sessionId,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    message: `${namedTitle(member, request.title)}${request.method === "confirm" ? `\n\n${request.message}` : ""}`,
    requestedSchema: { type: "object", properties: fields, required },
  };
}

export function formAnswer(request: UiRequestBody, response: CreateElicitationResponse): Json {
  const nothing = safeDefault(request.method);
  if (response.action !== "accept" || !("content" in response)) return nothing;
  const content = (response.content ?? {}) as Readonly<Record<string, Json>>;
  if (request.method === "question") {
    const given = Object.entries(content).filter(([, one]) => one !== "" && !(Array.isArray(one) && one.length === 0));
    return given.length === 0 ? nothing : Object.fromEntries(given);
  }
  return Object.hasOwn(content, FIELD) ? (content[FIELD] ?? nothing) : nothing;
}

function fieldsOf(request: UiRequestBody): Record<string, ElicitationPropertySchema> {
  switch (request.method) {
    case "confirm":
      return { [FIELD]: { type: "boolean", title: request.title, default: false } };
    case "input":
      return { [FIELD]: { type: "string", title: request.title, ...description(request.placeholder) } };
    case "editor":
      return { [FIELD]: { type: "string", title: request.title, default: request.prefill ?? "" } };
    case "select":
    case "approval":
      return { [FIELD]: { type: "string", title: request.title, oneOf: request.options.map(choice) } };
    case "question":
      return Object.fromEntries(request.questions.map((question) => [question.id, questionField(question)]));
    default:
      return request satisfies never;
  }
}

function questionField({ text, options, multiple, freeText }: Question): ElicitationPropertySchema {
  if (options.length === 0) return { type: "string", title: text };
  const offered = options.map((option) => option.label).join(", ");
  if (freeText) return { type: "string", title: text, ...description(`such as ${offered}`) };
  if (multiple) return { type: "array", title: text, items: { anyOf: options.map(choice) } };
  return { type: "string", title: text, oneOf: options.map(choice) };
}

function choice({ label, value, description: more }: Option): { const: string; title: string; description?: string } {
  return { const: value, title: label, ...description(more) };
}

function description(text: string | undefined): { description?: string } {
  return text === undefined ? {} : { description: text };
}
